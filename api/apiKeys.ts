import type { ApiKey } from '../shared/domain/account.js';
import { hashOfSecret } from '../shared/domain/apiKey.js';
import type { LiveAccountDocument } from '../shared/mongo/documents.js';
import type { ReadModels } from '../shared/mongo/readModels.js';
import type { Caller } from './caller.js';
import { completeDocuments } from './completeAnswer.js';
import { createLookups } from './lookups.js';

export interface KeyCaller extends Caller {
  readonly keyId: string;
  /** Whether its first use is in the audit log. */
  readonly isUsed: boolean;
}

export interface ApiKeys {
  /**
   * Whose key this is, as of half a second ago at most. Null where it is nobody's.
   * @throws UnavailableError while the accounts are not known completely: a valid key is never refused
   */
  find: (secret: string) => Promise<KeyCaller | null>;
}

/**
 * Keys by the SHA-256 of their secret.
 * @param elapsedMs a clock that never goes back, in milliseconds
 */
export function createApiKeys(
  accounts: Pick<ReadModels['accounts'], 'findAll'>,
  elapsedMs: () => number,
): ApiKeys {
  const lookups = createLookups<KeyCaller>(async (hash) => {
    for (const account of completeDocuments(await accounts.findAll({ 'apiKeys.hash': hash }))) {
      const apiKey =
        account.isDeleted === true ? undefined : account.apiKeys.find((candidate) => candidate.hash === hash);
      if (account.isDeleted !== true && apiKey !== undefined) {
        return callerOf(account, apiKey);
      }
    }
    return null;
  }, elapsedMs);

  return { find: (secret) => lookups.find(hashOfSecret(secret)) };
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
