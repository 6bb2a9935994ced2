import type { ApiKey, Plan, Scope } from '../shared/domain/account.js';
import { hashOfSecret } from '../shared/domain/apiKey.js';
import type { Actor, Mode } from '../shared/domain/fact.js';
import type { LiveAccountDocument } from '../shared/mongo/documents.js';
import type { ReadModels } from '../shared/mongo/readModels.js';
import { completeDocuments } from './completeAnswer.js';

/** Whose key came with a request. */
export interface Caller {
  readonly accountId: string;
  readonly keyId: string;
  readonly mode: Mode;
  readonly plan: Plan;
  /** What the plan allows in each mode. */
  readonly requestsPerSecond: number;
  /** Null for a full key. */
  readonly scopes: readonly Scope[] | null;
  readonly isSuspended: boolean;
  readonly expiresAt: Date | null;
  /** Who made a change, as records say it. */
  readonly actor: Actor;
}

export interface ApiKeys {
  /**
   * Whose key this is, as of half a second ago at most. Null where it is nobody's.
   * @throws UnavailableError while the accounts are not known completely: a valid key is never refused
   */
  find: (secret: string) => Promise<Caller | null>;
}

/** A deleted key stops working within a second: half of it here, the rest is the projection's. */
const foundForMs = 500;
/** A new key works within a second, also where somebody tried it just before it was there. */
const notFoundForMs = 200;
const maximumCached = 10_000;

interface CachedLookup {
  readonly caller: Promise<Caller | null>;
  until: number;
}

/**
 * Keys by the SHA-256 of their secret. All who ask for one key at once share one look-up.
 * @param elapsedMs a clock that never goes back, in milliseconds
 */
export function createApiKeys(
  accounts: Pick<ReadModels['accounts'], 'findAll'>,
  elapsedMs: () => number,
): ApiKeys {
  const lookups = new Map<string, CachedLookup>();

  const lookUp = async (hash: string): Promise<Caller | null> => {
    for (const account of completeDocuments(await accounts.findAll({ 'apiKeys.hash': hash }))) {
      const apiKey =
        account.isDeleted === true ? undefined : account.apiKeys.find((candidate) => candidate.hash === hash);
      if (account.isDeleted !== true && apiKey !== undefined) {
        return callerOf(account, apiKey);
      }
    }
    return null;
  };

  const begin = (hash: string, now: number): Promise<Caller | null> => {
    const lookup: CachedLookup = { caller: lookUp(hash), until: now + foundForMs };
    lookups.delete(hash);
    lookups.set(hash, lookup);
    dropOldest(lookups);
    lookup.caller.then(
      (caller) => {
        lookup.until = caller === null ? now + notFoundForMs : lookup.until;
      },
      () => {
        lookup.until = now;
      },
    );
    return lookup.caller;
  };

  return {
    find: (secret) => {
      const hash = hashOfSecret(secret);
      const now = elapsedMs();
      const known = lookups.get(hash);
      return known !== undefined && known.until > now ? known.caller : begin(hash, now);
    },
  };
}

function callerOf(account: LiveAccountDocument, { id, name, mode, scopes, expiresAt }: ApiKey): Caller {
  const { _id: accountId, plan, requestsPerSecond, isSuspended } = account;
  return {
    accountId,
    keyId: id,
    mode,
    plan,
    requestsPerSecond,
    scopes,
    isSuspended,
    expiresAt,
    actor: { type: 'api_key', id, name },
  };
}

/** A map keeps the order in which its entries were set, so the first one is the oldest. */
function dropOldest(lookups: Map<string, CachedLookup>): void {
  const [oldest] = lookups.keys();
  if (lookups.size > maximumCached && oldest !== undefined) {
    lookups.delete(oldest);
  }
}
