import type { ApiKey } from '../../shared/domain/accounts/account.js';
import { hashOfSecret } from '../../shared/domain/accounts/apiKey.js';
import type { LiveAccountDocument } from '../../shared/store/models/documents.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import type { Caller } from '../http/caller.js';
import { completeDocuments } from '../http/completeDocuments.js';
import type { FailedKeyLimit } from './failedKeyLimit.js';
import { createTtlCache } from './ttlCache.js';
import { apiError, type ApiError } from '../http/apiError.js';

export interface KeyCaller extends Caller {
  readonly keyId: string;
  /** Whether its first use is in the audit log. */
  readonly isUsed: boolean;
}

export interface ApiKeyLookup {
  /**
   * The owner of a key, as of half a second ago at most; null if the key does not exist. Keys that were not found before are refused
   * if the client's network has sent too many that do not exist.
   * @throws UnavailableError while the accounts are not known completely: a valid key is never called unknown
   */
  find: (secret: string, network: () => string) => Promise<KeyCaller | ApiError | null>;
}

export interface ApiKeyLookupDependencies {
  readonly accounts: Pick<ReadModels['accounts'], 'findAll'>;
  readonly failedKeyLimit: FailedKeyLimit;
  /** A clock that never goes back, in milliseconds. */
  readonly elapsedMs: () => number;
}

/** Look-ups of keys that were not found before share the database as one owner: they delay no look-up of an account. */
const unknownKeys = 'unknown keys';

/** Keys by the SHA-256 of their secret. */
export function createApiKeyLookup({
  accounts,
  failedKeyLimit,
  elapsedMs,
}: ApiKeyLookupDependencies): ApiKeyLookup {
  const lookups = createTtlCache<KeyCaller>(async (hash, before) => {
    const owner = before?.accountId ?? unknownKeys;
    for (const account of completeDocuments(await accounts.findAll({ 'apiKeys.hash': hash }, { owner }))) {
      const apiKey =
        account.isDeleted === true ? undefined : account.apiKeys.find((candidate) => candidate.hash === hash);
      if (account.isDeleted !== true && apiKey !== undefined) {
        return callerOf(account, apiKey);
      }
    }
    return null;
  }, elapsedMs);

  const findUnknown = async (hash: string, network: string): Promise<KeyCaller | ApiError | null> => {
    const waitSeconds = failedKeyLimit.attempt(network);
    if (waitSeconds !== null) {
      return tooManyFailures(waitSeconds);
    }
    let hasFailed = false;
    try {
      const caller = await lookups.find(hash);
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
      return lookups.knows(hash) ? lookups.find(hash) : findUnknown(hash, network());
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
  };
}

function tooManyFailures(waitSeconds: number): ApiError {
  return apiError(
    'rate_limit_exceeded',
    'Your network has sent too many API keys that do not exist. Correct the key, and try again after the time in Retry-After.',
    { headers: { 'Retry-After': String(waitSeconds) } },
  );
}
