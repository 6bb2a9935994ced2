/** The ids that were seen last. */
export interface RecentIds {
  /** Notes an id. The result is false if it was seen already. */
  readonly add: (id: string) => boolean;
}

/** @param capacity the number of ids in memory, after which the oldest is forgotten */
export function createRecentIds(capacity: number): RecentIds {
  const ids = new Set<string>();
  return {
    add: (id) => {
      if (ids.has(id)) {
        return false;
      }
      ids.add(id);
      if (ids.size > capacity) {
        // A set iterates in the order of insertion.
        const [oldest = ''] = ids;
        ids.delete(oldest);
      }
      return true;
    },
  };
}
