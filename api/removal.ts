import type { Identity } from '../shared/domain/identity.js';
import type { KeyUses } from '../shared/mongo/keyUses.js';
import { jsonAnswer } from './answer.js';
import type { Caller } from './caller.js';
import { isRefusal, type Refusal } from './refusal.js';
import type { KeyHandler, noBody, noQuery } from './route.js';

type Remove = (caller: Caller, id: string, identity: Identity) => Promise<{ readonly id: string } | Refusal>;

/** Deletes an API key or a person, and forgets when it was last used. */
export function createRemoval(
  remove: Remove,
  keyUses: Pick<KeyUses, 'forget'>,
): KeyHandler<typeof noBody, typeof noQuery> {
  return async ({ caller, id, identity }) => {
    const removed = await remove(caller, id, identity);
    if (isRefusal(removed)) {
      return removed;
    }
    await keyUses.forget(id);
    return jsonAnswer({ id, deleted: true });
  };
}
