import type { Identity } from '../../../shared/domain/core/identity.js';
import type { LastUsed } from '../../../shared/store/coordination/lastUsed.js';
import { jsonAnswer } from '../../http/answer.js';
import type { Caller } from '../../http/caller.js';
import { isApiError, type ApiError } from '../../http/apiError.js';
import type { KeyHandler, noBody, noQuery } from '../../http/route.js';

type Remove = (caller: Caller, id: string, identity: Identity) => Promise<{ readonly id: string } | ApiError>;

/** Deletes an API key or a person, and forgets when it was last used. */
export function createDeletion(
  remove: Remove,
  lastUsed: Pick<LastUsed, 'forget'>,
): KeyHandler<typeof noBody, typeof noQuery> {
  return async ({ caller, id, identity }) => {
    const removed = await remove(caller, id, identity);
    if (isApiError(removed)) {
      return removed;
    }
    await lastUsed.forget(id);
    return jsonAnswer({ id, deleted: true });
  };
}
