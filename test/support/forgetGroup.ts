import type { Admin } from 'kafkajs';
import { z } from 'zod';

import { eventually } from './eventually.js';

/** What the broker says of a group that it does not delete; one that is not there is as good. */
const deletionSchema = z.object({ groups: z.array(z.object({ error: z.object({ type: z.string() }) })) });

/** Kafka forgets a group that was empty for seven days. Deleting it, once it has no member, is the same, at once. */
export async function forgetGroup(admin: Pick<Admin, 'deleteGroups'>, group: string): Promise<void> {
  await eventually('the group to be forgotten', async () => {
    const groups = await admin.deleteGroups([group]).then(
      () => [],
      (error: unknown) => deletionSchema.parse(error).groups,
    );
    return groups.every(({ error }) => error.type === 'GROUP_ID_NOT_FOUND') ? true : null;
  });
}
