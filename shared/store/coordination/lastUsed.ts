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
 * When each API key was last used, at most a minute behind. It stands in no record of the log: a write for each request
 * would cost more than the requests do, and what is lost with the database comes back with the next use.
 */
export interface LastUsed {
  /** Notes that a key is used now. It only remembers it: never fails, never waits. */
  note: (keyId: string) => void;
  /** @throws UnavailableError where the database is away */
  find: (keyIds: readonly string[]) => Promise<ReadonlyMap<string, Date>>;
  /** Of a key that is gone. Where it fails, what stays is found by nobody. */
  forget: (keyId: string) => Promise<void>;
  /** Writes what is not written yet and stops. */
  close: () => Promise<void>;
}

export interface LastUsedOptions {
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  readonly intervalMs?: number;
}

/** So that one failed write of three leaves the minute intact. */
const writeIntervalMs = 20_000;
/** Keys whose use waits to be written; the uses of others are not noted while the database is away. */
const maximumWaiting = 10_000;

/** Writes each key's last use once an interval, from each process that it was used on. */
export function createLastUsed(
  database: Db,
  { clock, logger, intervalMs = writeIntervalMs }: LastUsedOptions,
): LastUsed {
  const stored = database.collection<KeyUseDocument>('lastUsed');
  let waiting = new Map<string, Date>();
  let writing: Promise<void> = Promise.resolve();

  /** What could not be written waits for the next time, but for keys that were used again meanwhile. */
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
      logger.warn({ error: messageOf(error) }, 'the last uses of API keys are written later');
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
