import type { Clock } from '../../shared/core/clock.js';
import { hashOfSecret } from '../../shared/domain/accounts/apiKey.js';
import { scopesOfRole } from '../../shared/domain/accounts/permissions.js';
import type { User } from '../../shared/domain/accounts/user.js';
import type { Mode } from '../../shared/domain/core/fact.js';
import type { LiveAccountDocument } from '../../shared/store/models/documents.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import { longestSeconds, type Sessions, type StoredSession } from '../../shared/store/redis/sessions.js';
import { completeDocuments } from '../http/completeDocuments.js';
import type { Caller } from '../http/context.js';
import { csrfTokenOf } from './sessionCookie.js';
import { createTtlCache } from './ttlCache.js';

export interface SessionLookup {
  /**
   * The owner of a session, or null if the session has ended. A session ends by time, sign-out, a new password or a
   * suspension.
   * @param look `use` restarts the idle time of the session
   * @throws UnavailableError while sessions or accounts are unavailable
   */
  find: (value: string, mode: Mode, look: 'use' | 'peek') => Promise<Caller | null>;
}

export interface SessionLookupDependencies {
  readonly sessions: Pick<Sessions, 'find' | 'end'>;
  readonly accounts: Pick<ReadModels['accounts'], 'findByIds'>;
  readonly clock: Clock;
  /** A monotonic clock, in milliseconds. */
  readonly elapsedMs: () => number;
}

interface Holder {
  readonly account: LiveAccountDocument;
  readonly user: User;
}

export function createSessionLookup(dependencies: SessionLookupDependencies): SessionLookup {
  const { sessions, accounts, clock, elapsedMs } = dependencies;
  const cache = createTtlCache<LiveAccountDocument>(async (id) => {
    const [account] = completeDocuments(await accounts.findByIds(id, [id]));
    return account === undefined || account.isDeleted === true ? null : account;
  }, elapsedMs);

  /** A cached account may be older than the change that started this session, for example a new password. */
  const holderOf = async (stored: StoredSession): Promise<Holder | null> =>
    holderIn(await cache.find(stored.accountId), stored) ??
    holderIn(await cache.findNow(stored.accountId), stored);

  const isTooOld = ({ created }: StoredSession) =>
    created.getTime() + longestSeconds * 1000 <= clock().getTime();

  return {
    find: async (value, mode, look) => {
      const id = hashOfSecret(value);
      const stored = await sessions.find(id, look);
      if (stored === null) {
        return null;
      }
      const holder = isTooOld(stored) ? null : await holderOf(stored);
      if (holder === null) {
        await sessions.end(id);
        return null;
      }
      return callerOf(holder, mode, { id, csrfToken: csrfTokenOf(value) });
    },
  };
}

function holderIn(account: LiveAccountDocument | null, stored: StoredSession): Holder | null {
  const user = account?.users.find(({ id }) => id === stored.userId);
  return account !== null &&
    user?.password?.id === stored.passwordId &&
    account.suspensions === stored.suspensions
    ? { account, user }
    : null;
}

function callerOf(
  { account, user }: Holder,
  mode: Mode,
  session: { readonly id: string; readonly csrfToken: string },
): Caller {
  const { _id: accountId, plan, requestsPerSecond, isSuspended } = account;
  const { id, name, email, role } = user;
  return {
    accountId,
    mode,
    plan,
    requestsPerSecond,
    scopes: scopesOfRole(role),
    isSuspended,
    expiresAt: null,
    actor: { type: 'user', id, name },
    tenant: null,
    session: { ...session, user: { id, name, email, role } },
  };
}
