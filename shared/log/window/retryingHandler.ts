import { setTimeout as pause } from 'node:timers/promises';

import { isProgrammingError, messageOf } from '../../core/errors.js';
import type { Logger } from '../../core/logger.js';
import type { RawRecord } from '../encoding/record.js';
import type { DeadLetters } from '../deadLetters/deadLetters.js';

/** `abandoned`: nothing was begun, because the signal said that the partition is not ours any more. */
export type WorkResult = 'done' | 'abandoned';

/** How a record has come to be worked on. */
export interface Admitted {
  /** When it was taken in, by `performance.now()`. */
  readonly takenAt: number;
  /** Whether it is to be put off, for the records of others to be let past. */
  readonly isOverShare: boolean;
}

/**
 * Works on one record. It may throw: a fault of a server is tried again until it passes, a programming error is tried
 * three times and then goes to the dead letters.
 * Once `signal` is aborted it begins nothing new and says `abandoned`; what it has begun it finishes.
 */
export type HandleRecord = (
  record: RawRecord,
  signal: AbortSignal,
  admitted: Admitted,
) => Promise<WorkResult>;

const triesOfProgrammingErrors = 3;
const firstRetryPauseMs = 100;
const longestRetryPauseMs = 5000;

/** Tries a record again, with growing pauses, until it is done, set aside or not ours any more. It never throws. */
export function createRetryingHandler(
  { deadLetters, logger }: { deadLetters: DeadLetters; logger: Logger },
  handle: HandleRecord,
): HandleRecord {
  /** @returns false where the dead letters do not take it now: a server is away, and the record is tried again */
  const setAside = async (record: RawRecord, error: unknown): Promise<boolean> => {
    try {
      await deadLetters.append(record, `handler_failed: ${messageOf(error)}`);
      return true;
    } catch (failure) {
      logger.warn({ ...positionOf(record), error: messageOf(failure) }, 'a record was not set aside');
      return false;
    }
  };

  return async (record, signal, admitted) => {
    for (let tries = 1; !signal.aborted; tries += 1) {
      try {
        return await handle(record, signal, admitted);
      } catch (error) {
        logger.warn({ ...positionOf(record), tries, error: messageOf(error) }, 'work on a record failed');
        const isOurFault = isProgrammingError(error) && tries >= triesOfProgrammingErrors;
        if (isOurFault && (await setAside(record, error))) {
          return 'done';
        }
        await pause(Math.min(longestRetryPauseMs, firstRetryPauseMs * 2 ** tries));
      }
    }
    return 'abandoned';
  };
}

function positionOf({ topic, partition, offset }: RawRecord) {
  return { topic, partition, offset };
}
