import { createBoundedSet } from '../../shared/concurrency/boundedMap.js';
import { UnavailableError } from '../../shared/core/errors.js';
import { asPortalOrigin } from '../../shared/domain/accounts/portalSettings.js';
import { accountIndexes } from '../../shared/store/models/indexes.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import type { FailedKeyLimit } from './apiKeyLookup.js';
import { createTtlCache } from './ttlCache.js';

/** The lookup of the origins that the accounts list for their customer portals. */
export interface OriginLookup {
  /**
   * Whether any account lists the origin. The answer is at most half a second old. While the accounts cannot be read,
   * the answer is that of the last lookup.
   * @param network the client's network, which may cause only a limited number of lookups of unlisted origins
   */
  isListed: (origin: string, network: () => string) => Promise<boolean>;
}

export interface OriginLookupDependencies {
  readonly accounts: Pick<ReadModels['accounts'], 'findPage'>;
  readonly failedOriginLimit: FailedKeyLimit;
  /** A monotonic clock, in milliseconds. */
  readonly elapsedMs: () => number;
}

/** The one share of the database reads for origins, so that these reads delay no read for an account. */
const originReads = 'origins';
const maximumKnown = 10_000;

export function createOriginLookup(dependencies: OriginLookupDependencies): OriginLookup {
  const { accounts, failedOriginLimit, elapsedMs } = dependencies;
  const lastListed = createBoundedSet<string>(maximumKnown);

  const cache = createTtlCache<{ readonly origin: string }>(async (origin) => {
    const index = accountIndexes.byPortalOrigin.key;
    const ranges = [{ filter: { 'portal.origins': origin }, sort: index }];
    // Many accounts may list the same origin, such as http://localhost:3000.
    const found = await accounts.findPage({
      ranges,
      index,
      limit: 1,
      share: originReads,
      projection: { _id: 1 },
    });
    if (found.length === 0) {
      lastListed.delete(origin);
      return null;
    }
    lastListed.add(origin);
    return { origin };
  }, elapsedMs);

  const isKnownAs = async (origin: string): Promise<boolean> => {
    try {
      return (await cache.find(origin)) !== null;
    } catch (error) {
      if (error instanceof UnavailableError) {
        return lastListed.has(origin);
      }
      throw error;
    }
  };

  return {
    isListed: async (origin, network) => {
      if (asPortalOrigin(origin) !== origin) {
        return false;
      }
      if (cache.isKnown(origin)) {
        return isKnownAs(origin);
      }
      if (failedOriginLimit.attempt(network()) !== null) {
        return false;
      }
      const isListed = await isKnownAs(origin);
      if (isListed) {
        failedOriginLimit.forgive(network());
      }
      return isListed;
    },
  };
}
