import { createBoundedMap } from '../../shared/concurrency/boundedMap.js';

/** A cache of lookups. Its entries are valid for at most half a second. */
export interface TtlCache<Found> {
  /** The result of a lookup, which may be cached. Concurrent requests for one key share a lookup. */
  readonly find: (key: string) => Promise<Found | null>;
  /** The result of a new lookup, without the cache. */
  readonly findNow: (key: string) => Promise<Found | null>;
  /** Whether the key was found before, or has a cached result. */
  readonly isKnown: (key: string) => boolean;
}

/**
 * How long a found key is cached. A deletion must take effect within a second: half for this cache, half for the
 * projection.
 */
const foundForMs = 500;
/**
 * How long a missing key is cached. A client must find a new resource within a second, even if the client looked for it
 * just before its creation.
 */
const notFoundForMs = 200;
const maximumCached = 10_000;

interface LookupInFlight<Found> {
  readonly found: Promise<Found | null>;
  readonly askedAt: number;
}

interface Hit<Found> {
  readonly found: Found;
  readonly askedAt: number;
}

/**
 * Found and missing keys have separate caches. A client can look up any number of missing keys, and these evict no
 * found key.
 * @param lookUp receives the previous result for the key, or null
 * @param elapsedMs a monotonic clock, in milliseconds
 */
export function createTtlCache<Found extends object>(
  lookUp: (key: string, before: Found | null) => Promise<Found | null>,
  elapsedMs: () => number,
): TtlCache<Found> {
  const inFlight = new Map<string, LookupInFlight<Found>>();
  const hits = createBoundedMap<string, Hit<Found>>(maximumCached);
  const misses = createBoundedMap<string, number>(maximumCached);

  const store = (key: string, found: Found | null, askedAt: number) => {
    if (found === null) {
      hits.delete(key);
      misses.set(key, askedAt);
    } else {
      misses.delete(key);
      hits.set(key, { found, askedAt });
    }
  };

  const begin = (key: string): Promise<Found | null> => {
    const askedAt = elapsedMs();
    const end = (found?: Found | null) => {
      // A lookup of the key that started later has newer data.
      if (inFlight.get(key) === lookup) {
        inFlight.delete(key);
        if (found !== undefined) {
          store(key, found, askedAt);
        }
      }
    };
    const lookup = { found: lookUp(key, hits.get(key)?.found ?? null), askedAt };
    inFlight.set(key, lookup);
    lookup.found.then(end, () => {
      end();
    });
    return lookup.found;
  };

  /** The cached result, or undefined if a lookup is needed. */
  const recent = (key: string): Found | null | Promise<Found | null> | undefined => {
    const now = elapsedMs();
    const isRecent = (askedAt: number, maximumAgeMs: number) => now < askedAt + maximumAgeMs;
    const hit = hits.get(key);
    if (hit !== undefined && isRecent(hit.askedAt, foundForMs)) {
      return hit.found;
    }
    const missedAt = misses.get(key);
    if (missedAt !== undefined && isRecent(missedAt, notFoundForMs)) {
      return null;
    }
    const lookup = inFlight.get(key);
    return lookup !== undefined && isRecent(lookup.askedAt, foundForMs) ? lookup.found : undefined;
  };

  return {
    find: async (key) => {
      const known = recent(key);
      return known === undefined ? begin(key) : known;
    },
    findNow: begin,
    isKnown: (key) => hits.has(key) || recent(key) !== undefined,
  };
}
