import type { Clock } from '../../shared/core/clock.js';
import { tenantScopes } from '../../shared/domain/accounts/permissions.js';
import { hashOfPortalToken } from '../../shared/domain/accounts/portalSettings.js';
import {
  tenantIdOf,
  type LiveAccountDocument,
  type TenantDocument,
} from '../../shared/store/models/documents.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import type { PortalSessions, StoredPortalSession } from '../../shared/store/redis/portalSessions.js';
import { completeDocuments } from '../http/completeDocuments.js';
import type { Caller } from '../http/context.js';
import { createTtlCache } from './ttlCache.js';

export interface PortalSessionLookup {
  /**
   * The caller with a portal token, `ended` if the session has expired or was revoked, or null if the token is unknown.
   * @throws UnavailableError while sessions, tenants or accounts are unavailable
   */
  find: (token: string) => Promise<Caller | 'ended' | null>;
}

export interface PortalSessionLookupDependencies {
  readonly portalSessions: Pick<PortalSessions, 'find'>;
  readonly accounts: Pick<ReadModels['accounts'], 'findByIds'>;
  readonly tenants: Pick<ReadModels['tenants'], 'findByIds'>;
  readonly clock: Clock;
  /** A monotonic clock, in milliseconds. */
  readonly elapsedMs: () => number;
}

interface Holder {
  readonly account: LiveAccountDocument;
  readonly tenant: TenantDocument;
}

export function createPortalSessionLookup(
  dependencies: PortalSessionLookupDependencies,
): PortalSessionLookup {
  const { portalSessions, accounts, tenants, clock, elapsedMs } = dependencies;

  const accountCache = createTtlCache<LiveAccountDocument>(async (id) => {
    const [account] = completeDocuments(await accounts.findByIds(id, [id]));
    return account === undefined || account.isDeleted === true ? null : account;
  }, elapsedMs);
  const tenantCache = createTtlCache<TenantDocument>(async (id) => {
    const accountId = id.slice(0, id.indexOf('/'));
    const [tenant] = completeDocuments(await tenants.findByIds(accountId, [id]));
    return tenant ?? null;
  }, elapsedMs);

  const read = async (stored: StoredPortalSession, look: 'find' | 'findNow'): Promise<Holder | null> => {
    const { accountId, mode, tenantId } = stored;
    const [account, tenant] = await Promise.all([
      accountCache[look](accountId),
      tenantCache[look](tenantIdOf(accountId, mode, tenantId)),
    ]);
    return account !== null && tenant !== null && isValid(stored, { account, tenant })
      ? { account, tenant }
      : null;
  };

  return {
    find: async (token) => {
      const id = hashOfPortalToken(token);
      const stored = await portalSessions.find(id);
      if (stored === null) {
        return null;
      }
      if (stored.expiresAt <= clock()) {
        return 'ended';
      }
      // Cached documents may be older than the session, for example if it follows a revocation.
      const holder = (await read(stored, 'find')) ?? (await read(stored, 'findNow'));
      return holder === null ? 'ended' : callerOf(holder, stored, id);
    },
  };
}

function isValid(stored: StoredPortalSession, { account, tenant }: Holder): boolean {
  return (
    tenant.status === 'active' &&
    tenant.lifeId === stored.lifeId &&
    tenant.revocations === stored.revocations &&
    account.suspensions === stored.suspensions
  );
}

function callerOf(
  { account, tenant }: Holder,
  { accountId, mode, tenantId, lifeId, capabilities, expiresAt }: StoredPortalSession,
  sessionId: string,
): Caller {
  const { plan, requestsPerSecond, isSuspended, portal } = account;
  return {
    accountId,
    mode,
    plan,
    requestsPerSecond,
    scopes: tenantScopes(capabilities),
    isSuspended,
    expiresAt,
    actor: { type: 'user', id: `portal:${tenantId}`, name: null },
    session: null,
    tenant: {
      tenantId,
      lifeId,
      eventsFrom: tenant.eventsFrom,
      credential: 'portal',
      portal: { sessionId, origins: portal?.origins ?? [] },
    },
  };
}
