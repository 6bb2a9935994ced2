import { setImmediate as endOfTurn } from 'node:timers/promises';

import { maximumStaleness } from '../../shared/commands/maximumStaleness.js';

/** How recent a read must be. */
export interface Freshness {
  /** The earliest start of the read, by `performance.now()`. */
  readonly notBefore: number;
  /**
   * The earliest start of the read in milliseconds since 1970, if the state must be newer than a change by another
   * process. `performance.now()` stops while a virtual machine is paused, so it would accept a read from before the
   * pause.
   */
  readonly notBeforeTime?: number;
}

/**
 * How long before the expiry of a read the next read begins in the background. With fifty or more events a second, no
 * event waits for a read.
 */
const readAheadMs = 20;

export interface FreshReads<Query, Value> {
  /** Returns the value of a key from an earlier read that is fresh, or from a new read. */
  readonly read: (key: string, query: Query, freshness: Freshness) => Promise<TimedValue<Value>>;
  /** Returns the value of a key from an earlier read. Returns null if no earlier read is fresh. */
  readonly known: (key: string, freshness: Freshness) => Promise<TimedValue<Value>> | null;
}

export interface TimedValue<Value> {
  /** When the read began, by `performance.now()`. */
  readonly readAt: number;
  readonly value: Value;
}

interface Read<Value> {
  /** When the read was requested, by `performance.now()`. It begins at the end of that turn of the event loop. */
  readonly requestedAt: number;
  /** The same moment in milliseconds since 1970. */
  readonly requestedTime: number;
  readonly result: Promise<TimedValue<Value>>;
}

/** The read that answers for a key, and the next read of the key if it is in flight. */
interface Known<Value> {
  readonly read: Read<Value>;
  ahead: Read<Value> | null;
  /** The size of the read's value; 0 until the read has ended. */
  size: number;
}

/** A limit of the memory for values. The values that were read first are evicted. */
export interface SizeLimit<Value> {
  /** The maximum of the sum of all sizes. */
  readonly maximum: number;
  readonly sizeOf: (value: Value) => number;
}

/**
 * Reads that many callers share. All keys that are requested in the same turn of the event loop are one batch. So a
 * thousand events of one account cost one read. A key that is read frequently is read again before its read expires.
 * @param now milliseconds of `performance.now()`
 * @param limit the limit of the memory; missing if the values are small. A caller that awaits an evicted read gets it
 */
export function createFreshReads<Query, Value>(
  readBatch: (queries: readonly Query[]) => Promise<(key: string) => Value>,
  now: () => number,
  limit?: SizeLimit<Value>,
): FreshReads<Query, Value> {
  const latest = new Map<string, Known<Value>>();
  let size = 0;
  let batch: Promise<TimedValue<(key: string) => Value>> | null = null;
  let requested = new Map<string, Query>();

  const readRequested = async () => {
    await endOfTurn();
    const queries = [...requested.values()];
    requested = new Map();
    batch = null;
    // The age of the values does not include the rest of the turn, which is long in a busy process.
    const readAt = now();
    return { readAt, value: await readBatch(queries) };
  };

  const startRead = (key: string, query: Query): Read<Value> => {
    requested.set(key, query);
    batch ??= readRequested();
    const result = batch.then(({ readAt, value: valueOf }) => ({ readAt, value: valueOf(key) }));
    return { requestedAt: now(), requestedTime: Date.now(), result };
  };

  const evictExpired = () => {
    const oldest = now() - maximumStaleness.attempting;
    for (const [key, { read }] of latest) {
      if (read.requestedAt >= oldest) {
        return;
      }
      evict(key);
    }
  };

  const evict = (key: string) => {
    size -= latest.get(key)?.size ?? 0;
    latest.delete(key);
  };

  /** Counts the size of a value, and evicts the oldest values beyond the limit. */
  const addSize = (key: string, known: Known<Value>, value: Value, { sizeOf, maximum }: SizeLimit<Value>) => {
    if (latest.get(key) !== known) {
      return;
    }
    known.size = sizeOf(value);
    size += known.size;
    for (const oldest of latest.keys()) {
      if (size <= maximum) {
        return;
      }
      evict(oldest);
    }
  };

  /** Makes `read` the answer for its key, unless the read fails. */
  const publish = (key: string, read: Read<Value>): void => {
    // The key is deleted before it is set, because `evictExpired` relies on the insertion order of the Map.
    evict(key);
    const known: Known<Value> = { read, ahead: null, size: 0 };
    latest.set(key, known);
    read.result.then(
      ({ value }) => {
        if (limit !== undefined) {
          addSize(key, known, value, limit);
        }
      },
      () => {
        if (latest.get(key) === known) {
          evict(key);
        }
      },
    );
  };

  const readAhead = (key: string, query: Query, before: Known<Value>): void => {
    const next = startRead(key, query);
    before.ahead = next;
    // A caller that needed a newer state may have published a newer read meanwhile.
    const isLatest = () => latest.get(key) === before;
    next.result.then(
      () => {
        if (isLatest()) {
          publish(key, next);
        }
      },
      () => {
        before.ahead = null;
      },
    );
  };

  return {
    read: (key, query, freshness) => {
      evictExpired();
      const before = latest.get(key);
      if (before !== undefined && isFresh(before.read, freshness)) {
        if (expiresSoon(before, freshness)) {
          readAhead(key, query, before);
        }
        return before.read.result;
      }
      const ahead = before?.ahead ?? null;
      const read = ahead !== null && isFresh(ahead, freshness) ? ahead : startRead(key, query);
      publish(key, read);
      return read.result;
    },
    known: (key, freshness) => {
      const before = latest.get(key);
      return before !== undefined && isFresh(before.read, freshness) ? before.read.result : null;
    },
  };
}

function isFresh(
  { requestedAt, requestedTime }: Read<unknown>,
  { notBefore, notBeforeTime = 0 }: Freshness,
): boolean {
  return requestedAt >= notBefore && requestedTime >= notBeforeTime;
}

/** Whether a read expires within `readAheadMs` for callers with the same freshness, and no next read is in flight. */
function expiresSoon({ read, ahead }: Known<unknown>, { notBefore }: Freshness): boolean {
  return ahead === null && read.requestedAt < notBefore + readAheadMs;
}
