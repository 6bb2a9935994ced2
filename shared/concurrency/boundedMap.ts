/** A map with a bounded number of keys. A new key beyond the bound replaces the oldest key. */
export interface BoundedMap<Key, Value> {
  readonly size: number;
  readonly get: (key: Key) => Value | undefined;
  readonly has: (key: Key) => boolean;
  /** Stores a value for a key. A key that is already present retains its age. */
  readonly set: (key: Key, value: Value) => void;
  /** @returns whether the key was present */
  readonly delete: (key: Key) => boolean;
}

/** A set with a bounded number of keys. A new key beyond the bound replaces the oldest key. */
export interface BoundedSet<Key> {
  readonly size: number;
  readonly has: (key: Key) => boolean;
  readonly add: (key: Key) => void;
  readonly delete: (key: Key) => boolean;
}

/**
 * Creates a map that finds its oldest key in a ring buffer, so every operation takes constant time. Finding the first
 * key of a built-in `Map` takes microseconds, because its iterator visits all earlier deleted entries.
 *
 * The ring buffer has one array of keys and one array of values. An object for each entry would take a third more
 * memory, and delivery remembers 200,000 keys.
 * @param capacity the number of newest insertions that are retained; a deleted key frees its place when the ring buffer
 *   reaches the place again
 */
export function createBoundedMap<Key, Value>(capacity: number): BoundedMap<Key, Value> {
  /** The place of each key in the ring buffer. */
  const places = new Map<Key, number>();
  // The arrays grow up to the capacity, so that a small map needs little memory.
  const keys: Key[] = [];
  const values: (Value | undefined)[] = [];
  let next = 0;

  const evict = (place: number) => {
    const oldest = keys[place];
    // A key that was deleted and inserted again has a newer place.
    if (oldest !== undefined && places.get(oldest) === place) {
      places.delete(oldest);
    }
  };

  return {
    get size() {
      return places.size;
    },
    get: (key) => {
      const place = places.get(key);
      return place === undefined ? undefined : values[place];
    },
    has: (key) => places.has(key),
    set: (key, value) => {
      const known = places.get(key);
      if (known !== undefined) {
        values[known] = value;
        return;
      }
      evict(next);
      places.set(key, next);
      keys[next] = key;
      values[next] = value;
      next = (next + 1) % capacity;
    },
    delete: (key) => {
      const place = places.get(key);
      if (place !== undefined) {
        values[place] = undefined;
      }
      return places.delete(key);
    },
  };
}

/** @param capacity the number of newest insertions that are retained */
export function createBoundedSet<Key>(capacity: number): BoundedSet<Key> {
  const keys = createBoundedMap<Key, true>(capacity);
  return {
    get size() {
      return keys.size;
    },
    has: keys.has,
    add: (key) => {
      keys.set(key, true);
    },
    delete: keys.delete,
  };
}
