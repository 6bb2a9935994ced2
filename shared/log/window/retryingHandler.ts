import { setTimeout as pause } from 'node:timers/promises';

import { isProgrammingError, messageOf } from '../../core/errors.js';
import type { Logger } from '../../core/logger.js';
import type { RawRecord } from '../encoding/record.js';
import type { DeadLetters } from '../deadLetters/deadLetters.js';

/** `abandoned`: no work was started, because the signal shows that the partition was revoked. */
export type WorkResult = 'done' | 'abandoned';

/** The circumstances under which a record is handled. */
export interface Admitted {
  /** The time when it entered the window, by `performance.now()`. */
  readonly takenAt: number;
  /** Whether it is to be deferred, so that records of other owners can pass. */
  readonly isOverShare: boolean;
}

/**
 * Handles one record. It may throw: a fault of a server is retried until it passes. A programming error is tried three
 * times, and then the record goes to the dead letters. Once `signal` is aborted, the handler starts no further work and
 * returns `abandoned`, but finishes the work in flight.
 */
export type HandleRecord = (
  record: RawRecord,
  signal: AbortSignal,
  admitted: Admitted,
) => Promise<WorkResult>;

const triesOfProgrammingErrors = 3;
const firstRetryPauseMs = 100;
const longestRetryPauseMs = 5000;

/** Retries a record with growing pauses until it is done, in the dead letters, or revoked. It never throws. */
export function createRetryingHandler(
  { deadLetters, logger }: { deadLetters: DeadLetters; logger: Logger },
  handle: HandleRecord,
): HandleRecord {
  /** @returns false if the dead letters are unavailable; then the record is retried */
  const setAside = async (record: RawRecord, error: unknown): Promise<boolean> => {
    try {
      await deadLetters.append(record, `handler_failed: ${messageOf(error)}`);
      return true;
    } catch (failure) {
      logger.warn(
        { ...positionOf(record), error: messageOf(failure) },
        'a record could not be appended to the dead letters; the consumer tries again',
      );
      return false;
    }
  };

  return async (record, signal, admitted) => {
    for (let tries = 1; !signal.aborted; tries += 1) {
      try {
        return await handle(record, signal, admitted);
      } catch (error) {
        logger.warn(
          { ...positionOf(record), tries, error: messageOf(error) },
          'the processing of a record failed; the consumer tries again',
        );
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
