import type { Admin } from 'kafkajs';
import { z } from 'zod';

import { eventually } from './eventually.js';

/** The errors for a group that the broker does not delete. A missing group needs no deletion. */
const deletionSchema = z.object({ groups: z.array(z.object({ error: z.object({ type: z.string() }) })) });

/** Deletes a group once it has no members. The effect is that of seven days without members, after which Kafka deletes the offsets. */
export async function forgetGroup(admin: Pick<Admin, 'deleteGroups'>, group: string): Promise<void> {
  await eventually('the group to be forgotten', async () => {
    const groups = await admin.deleteGroups([group]).then(
      () => [],
      (error: unknown) => deletionSchema.parse(error).groups,
    );
    return groups.every(({ error }) => error.type === 'GROUP_ID_NOT_FOUND') ? true : null;
  });
}
