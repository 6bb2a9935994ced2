import type { Db } from 'mongodb';

import type { Clock } from '../../core/clock.js';
import { messageOf } from '../../core/errors.js';
import type { Logger } from '../../core/logger.js';
import { mapUnavailableErrors } from '../client/unavailableErrors.js';

interface KeyUseDocument {
  readonly _id: string;
  /** The time of the API key's last use that was written to MongoDB. */
  readonly at: Date;
}

/**
 * When each API key was last used, at most a minute late. The last use is not in the log, because an append for each
 * request would cost more than the request. If MongoDB is lost, the next use of a key restores its last use.
 */
export interface LastUsed {
  /** Notes in memory that an API key is used now. `note` never fails and never waits. */
  note: (keyId: string) => void;
  /** @throws UnavailableError if the database is unavailable */
  find: (keyIds: readonly string[]) => Promise<ReadonlyMap<string, Date>>;
  /**
   * Removes the last use of a deleted API key. If the removal fails, the document of the key remains, but no read finds
   * it.
   */
  forget: (keyId: string) => Promise<void>;
  /** Writes the pending uses of API keys and stops. */
  close: () => Promise<void>;
}

export interface LastUsedOptions {
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  readonly intervalMs?: number;
}

/**
 * The interval between writes of last uses. With an interval of 20 s, a failed write delays a last use by less than a
 * minute.
 */
const writeIntervalMs = 20_000;
/**
 * The maximum number of API keys with a pending write. While MongoDB is unavailable, uses of more API keys are not
 * noted.
 */
const maximumWaiting = 10_000;

/** Creates the writer of last uses. Each process that has seen an API key writes its last use once in each interval. */
export function createLastUsed(
  database: Db,
  { clock, logger, intervalMs = writeIntervalMs }: LastUsedOptions,
): LastUsed {
  const stored = database.collection<KeyUseDocument>('lastUsed');
  let waiting = new Map<string, Date>();
  let writing: Promise<void> = Promise.resolve();

  /** Writes the pending uses. If the write fails, the uses are written again at the next interval. */
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
