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

interface Entry<Value> {
  value: Value;
  /** The place of the entry's key in the ring buffer. */
  readonly place: number;
}

/**
 * Creates a map that finds its oldest key in a ring buffer, so every operation takes constant time. Finding the first
 * key of a built-in `Map` takes microseconds, because its iterator visits all earlier deleted entries.
 * @param capacity the number of newest insertions that are retained; a deleted key frees its place when the ring buffer
 *   reaches the place again
 */
export function createBoundedMap<Key, Value>(capacity: number): BoundedMap<Key, Value> {
  const entries = new Map<Key, Entry<Value>>();
  // The ring buffer grows up to the capacity, so that a small map needs little memory.
  const ring: { key: Key }[] = [];
  let next = 0;

  const evict = (place: number) => {
    const oldest = ring[place];
    // A key that was deleted and inserted again has a newer place.
    if (oldest !== undefined && entries.get(oldest.key)?.place === place) {
      entries.delete(oldest.key);
    }
  };

  return {
    get size() {
      return entries.size;
    },
    get: (key) => entries.get(key)?.value,
    has: (key) => entries.has(key),
    set: (key, value) => {
      const known = entries.get(key);
      if (known !== undefined) {
        known.value = value;
        return;
      }
      evict(next);
      entries.set(key, { value, place: next });
      ring[next] = { key };
      next = (next + 1) % capacity;
    },
    delete: (key) => entries.delete(key),
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
