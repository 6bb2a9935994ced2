import { createBoundedMap } from '../../shared/concurrency/boundedMap.js';
import type { ApiKey } from '../../shared/domain/accounts/account.js';
import { hashOfSecret } from '../../shared/domain/accounts/apiKey.js';
import { capabilities, tenantScopes } from '../../shared/domain/accounts/permissions.js';
import type { TenantApiKey } from '../../shared/domain/accounts/tenantApiKey.js';
import {
  tenantIdOf,
  type LiveAccountDocument,
  type TenantDocument,
} from '../../shared/store/models/documents.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import { storedTenantApiKey } from '../../shared/store/queries/storedDocuments.js';
import { apiError, type ApiError } from '../http/apiError.js';
import { completeDocuments } from '../http/completeDocuments.js';
import type { Caller } from '../http/context.js';
import { createTtlCache } from './ttlCache.js';

export interface KeyCaller extends Caller {
  readonly keyId: string;
  /** Whether the audit log contains the first use of the key. */
  readonly isUsed: boolean;
}

export interface ApiKeyLookup {
  /**
   * The owner of an API key, at most half a second old, or null if the key does not exist. If the client's network has
   * sent too many unknown keys, further unknown keys are rejected.
   * @throws UnavailableError while the read model of accounts or of tenants is incomplete, because a valid key may be
   *   missing in it
   */
  find: (secret: string, network: () => string) => Promise<KeyCaller | ApiError | null>;
}

export interface ApiKeyLookupDependencies {
  readonly accounts: Pick<ReadModels['accounts'], 'findAll' | 'findByIds'>;
  readonly tenants: Pick<ReadModels['tenants'], 'findByIds'>;
  readonly tenantApiKeys: Pick<ReadModels['tenantApiKeys'], 'findAll'>;
  readonly failedKeyLimit: FailedKeyLimit;
  /** A monotonic clock, in milliseconds. */
  readonly elapsedMs: () => number;
}

/** The one share of the database reads for unknown API keys, so that these reads delay no read for an account. */
const unknownKeys = 'unknown keys';

/** The lookup of API keys by the SHA-256 of their secret. */
export function createApiKeyLookup(dependencies: ApiKeyLookupDependencies): ApiKeyLookup {
  const { accounts, tenants, tenantApiKeys, failedKeyLimit, elapsedMs } = dependencies;

  const findOfAccount = async (hash: string, share: string): Promise<KeyCaller | null> => {
    for (const account of completeDocuments(await accounts.findAll({ 'apiKeys.hash': hash }, { share }))) {
      const apiKey =
        account.isDeleted === true ? undefined : account.apiKeys.find((candidate) => candidate.hash === hash);
      if (account.isDeleted !== true && apiKey !== undefined) {
        return callerOf(account, apiKey);
      }
    }
    return null;
  };

  const findOfTenant = async (hash: string, share: string): Promise<KeyCaller | null> => {
    const [document] = completeDocuments(await tenantApiKeys.findAll({ hash }, { share }));
    if (document?.keyStatus !== 'active') {
      return null;
    }
    const apiKey = storedTenantApiKey(document);
    const { accountId, mode, tenantId } = apiKey;
    const [[account], [tenant]] = await Promise.all([
      accounts.findByIds(accountId, [accountId]).then(completeDocuments),
      tenants.findByIds(accountId, [tenantIdOf(accountId, mode, tenantId)]).then(completeDocuments),
    ]);
    return account === undefined || account.isDeleted === true || apiKey.keyStatus !== 'active'
      ? null
      : tenantCallerOf(account, tenant, apiKey);
  };

  const cache = createTtlCache<KeyCaller>(async (hash, before) => {
    const share = before?.accountId ?? unknownKeys;
    // An account never gets the key of a tenant, or the reverse.
    if (before !== null) {
      return before.tenant === null ? findOfAccount(hash, share) : findOfTenant(hash, share);
    }
    return (await findOfAccount(hash, share)) ?? findOfTenant(hash, share);
  }, elapsedMs);

  const findUnknown = async (hash: string, network: string): Promise<KeyCaller | ApiError | null> => {
    const waitSeconds = failedKeyLimit.attempt(network);
    if (waitSeconds !== null) {
      return tooManyFailures(waitSeconds);
    }
    let hasFailed = false;
    try {
      const caller = await cache.find(hash);
      hasFailed = caller === null;
      return caller;
    } finally {
      if (!hasFailed) {
        failedKeyLimit.forgive(network);
      }
    }
  };

  return {
    find: (secret, network) => {
      const hash = hashOfSecret(secret);
      return cache.isKnown(hash) ? cache.find(hash) : findUnknown(hash, network());
    },
  };
}

function callerOf(account: LiveAccountDocument, apiKey: ApiKey): KeyCaller {
  const { id, name, mode, scopes, expiresAt } = apiKey;
  const { _id: accountId, plan, requestsPerSecond, isSuspended } = account;
  return {
    accountId,
    keyId: id,
    isUsed: apiKey.firstUsedAt !== undefined,
    mode,
    plan,
    requestsPerSecond,
    scopes,
    isSuspended,
    expiresAt,
    actor: { type: 'api_key', id, name },
    session: null,
    tenant: null,
  };
}

/** The caller with a key of a tenant, or null if the life of the key has ended. */
function tenantCallerOf(
  account: LiveAccountDocument,
  tenant: TenantDocument | undefined,
  { id, name, mode, tenantId, lifeId, expiresAt, firstUsedAt }: TenantApiKey,
): KeyCaller | null {
  if (tenant?.status !== 'active' || tenant.lifeId !== lifeId) {
    return null;
  }
  const { _id: accountId, plan, requestsPerSecond, isSuspended } = account;
  return {
    accountId,
    mode,
    plan,
    requestsPerSecond,
    isSuspended,
    expiresAt,
    keyId: id,
    isUsed: firstUsedAt !== undefined,
    scopes: tenantScopes(capabilities),
    actor: { type: 'api_key', id, name },
    session: null,
    tenant: { tenantId, lifeId, eventsFrom: tenant.eventsFrom, credential: 'api-key' },
  };
}

function tooManyFailures(waitSeconds: number): ApiError {
  return apiError(
    'rate_limit_exceeded',
    'Your network has sent too many unknown API keys. Correct the API key. Wait for the ' +
      'seconds in Retry-After, then retry the request.',
    { headers: { 'Retry-After': String(waitSeconds) } },
  );
}

/** The limit of unknown API keys per network. A request with an unknown key costs a database read. */
export interface FailedKeyLimit {
  /**
   * Counts a lookup as failed until `forgive` is called, so that concurrent lookups cannot exceed the limit.
   * @returns null if the lookup is allowed, otherwise the whole seconds until the next one is allowed
   */
  readonly attempt: (network: string) => number | null;
  /** Removes a lookup that has not failed from the count. */
  readonly forgive: (network: string) => void;
}

/** The number of failed API key lookups that a network may cause in a period. */
const maximumFailures = 100;
const periodMs = 10_000;
const maximumNetworks = 10_000;

interface Period {
  readonly until: number;
  failures: number;
}

/** @param elapsedMs a monotonic clock, in milliseconds */
export function createFailedKeyLimit(elapsedMs: () => number): FailedKeyLimit {
  const periods = createBoundedMap<string, Period>(maximumNetworks);

  const periodOf = (network: string): Period => {
    const now = elapsedMs();
    const known = periods.get(network);
    if (known !== undefined && now < known.until) {
      return known;
    }
    const period = { until: now + periodMs, failures: 0 };
    periods.set(network, period);
    return period;
  };

  return {
    attempt: (network) => {
      const period = periodOf(network);
      if (period.failures >= maximumFailures) {
        return Math.max(1, Math.ceil((period.until - elapsedMs()) / 1000));
      }
      period.failures += 1;
      return null;
    },
    forgive: (network) => {
      const period = periodOf(network);
      period.failures = Math.max(0, period.failures - 1);
    },
  };
}
