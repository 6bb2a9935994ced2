/** What was found lately, by what was asked for. */
export interface Lookups<Found> {
  /** As of a moment ago. All who ask for the same at once share one look-up. */
  find: (key: string) => Promise<Found | null>;
  /** As of now. */
  findNow: (key: string) => Promise<Found | null>;
}

/** What is gone stops working within a second: half of it here, the rest is the projection's. */
const foundForMs = 500;
/** What is new works within a second, also where somebody tried it just before it was there. */
const notFoundForMs = 200;
const maximumCached = 10_000;

interface CachedLookup<Found> {
  readonly found: Promise<Found | null>;
  until: number;
}

/** @param elapsedMs a clock that never goes back, in milliseconds */
export function createLookups<Found>(
  lookUp: (key: string) => Promise<Found | null>,
  elapsedMs: () => number,
): Lookups<Found> {
  const lookups = new Map<string, CachedLookup<Found>>();

  const begin = (key: string): Promise<Found | null> => {
    const now = elapsedMs();
    const lookup: CachedLookup<Found> = { found: lookUp(key), until: now + foundForMs };
    lookups.delete(key);
    lookups.set(key, lookup);
    dropOldest(lookups);
    lookup.found.then(
      (found) => {
        lookup.until = found === null ? now + notFoundForMs : lookup.until;
      },
      () => {
        lookup.until = now;
      },
    );
    return lookup.found;
  };

  return {
    find: (key) => {
      const known = lookups.get(key);
      return known !== undefined && known.until > elapsedMs() ? known.found : begin(key);
    },
    findNow: begin,
  };
}

/** A map keeps the order in which its entries were set, so the first one is the oldest. */
function dropOldest(lookups: Map<string, unknown>): void {
  const [oldest] = lookups.keys();
  if (lookups.size > maximumCached && oldest !== undefined) {
    lookups.delete(oldest);
  }
}
