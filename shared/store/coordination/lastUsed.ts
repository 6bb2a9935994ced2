import type { Db } from 'mongodb';

import type { Clock } from '../../core/clock.js';
import { messageOf } from '../../core/errors.js';
import type { Logger } from '../../core/logger.js';
import { mapUnavailableErrors } from '../client/unavailableErrors.js';

interface KeyUseDocument {
  readonly _id: string;
  /** The last use that was written. */
  readonly at: Date;
}

/**
 * When each API key was last used, at most a minute late. It is not stored in the log, because a write for each request
 * would cost more than the request. If the database is lost, the next use restores it.
 */
export interface LastUsed {
  /** Notes in memory that a key is used now. It never fails and never waits. */
  note: (keyId: string) => void;
  /** @throws UnavailableError if the database is unavailable */
  find: (keyIds: readonly string[]) => Promise<ReadonlyMap<string, Date>>;
  /** Removes the last use of a deleted key. After a failure, the document remains, but no read finds it. */
  forget: (keyId: string) => Promise<void>;
  /** Writes the pending uses and stops. */
  close: () => Promise<void>;
}

export interface LastUsedOptions {
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  readonly intervalMs?: number;
}

/** One failed write of three still keeps the delay below a minute. */
const writeIntervalMs = 20_000;
/** The most keys with a pending write. While the database is unavailable, uses of further keys are not noted. */
const maximumWaiting = 10_000;

/** Writes the last use of each key once an interval, from each process that has seen the key. */
export function createLastUsed(
  database: Db,
  { clock, logger, intervalMs = writeIntervalMs }: LastUsedOptions,
): LastUsed {
  const stored = database.collection<KeyUseDocument>('lastUsed');
  let waiting = new Map<string, Date>();
  let writing: Promise<void> = Promise.resolve();

  /** A failed write is retried at the next interval, unless a key was used again meanwhile. */
  const write = async () => {
    const uses = waiting;
    waiting = new Map();
    if (uses.size === 0) {
      return;
    }
    const updates = [...uses].map(([keyId, at]) => ({
      updateOne: { filter: { _id: keyId }, update: { $max: { at } }, upsert: true },
    }));
    try {
      await stored.bulkWrite(updates, { ordered: false });
    } catch (error) {
      waiting = new Map([...uses, ...waiting]);
      logger.warn(
        { error: messageOf(error) },
        'the last uses of API keys could not be stored; the process tries again',
      );
    }
  };

  const writeInTurn = () => {
    writing = writing.then(write);
    return writing;
  };

  const timer = setInterval(() => void writeInTurn(), intervalMs);

  return {
    note: (keyId) => {
      if (waiting.has(keyId) || waiting.size < maximumWaiting) {
        waiting.set(keyId, clock());
      }
    },
    find: async (keyIds) => {
      const found = await mapUnavailableErrors(stored.find({ _id: { $in: [...keyIds] } }).toArray());
      return new Map(found.map(({ _id, at }) => [_id, at]));
    },
    forget: async (keyId) => {
      waiting.delete(keyId);
      await stored.deleteOne({ _id: keyId }).catch(() => undefined);
    },
    close: async () => {
      clearInterval(timer);
      await writeInTurn();
    },
  };
}
