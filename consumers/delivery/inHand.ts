/** What this process works on, and what it has done lately, by keys that name one attempt or one record to append. */
export interface InHand {
  /**
   * Runs `work` unless it is under way or was done under this key: a second copy of a record has nothing to do then.
   * Where it comes to anything but `done`, or throws, the key is free again: what was deferred comes back under it.
   */
  once: <Result extends string>(key: string, work: () => Promise<Result>) => Promise<Result | 'known'>;
}

/** @param capacity how many keys are remembered: the oldest that are done are forgotten first */
export function createInHand(capacity: number): InHand {
  const underWay = new Set<string>();
  const done = new Set<string>();

  const remember = (key: string) => {
    done.add(key);
    if (done.size > capacity) {
      const [oldest] = done;
      done.delete(oldest ?? '');
    }
  };

  return {
    once: async (key, work) => {
      if (underWay.has(key) || done.has(key)) {
        return 'known';
      }
      underWay.add(key);
      try {
        const result = await work();
        if (result === 'done') {
          remember(key);
        }
        return result;
      } finally {
        underWay.delete(key);
      }
    },
  };
}
