import { setTimeout as pause } from 'node:timers/promises';

import { isProgrammingError, messageOf } from '../../core/errors.js';
import type { Logger } from '../../core/logger.js';
import type { RawRecord } from '../encoding/record.js';
import type { DeadLetters } from '../deadLetters/deadLetters.js';

/**
 * The result of handling a record. `abandoned` means that the handler did nothing, because the partition was revoked.
 */
export type WorkResult = 'done' | 'abandoned';

/** What the window admission has decided about a record. */
export interface Admitted {
  /** The time of `performance.now()` at which the record entered the window. */
  readonly takenAt: number;
  /** Whether the record's owner is over its share of the window, so that the record must be deferred. */
  readonly isOverShare: boolean;
  /** Whether an earlier owner of the partition has committed that the log contains the record's set of deliveries. */
  readonly wasTakenUp: boolean;
  /** Must be called when the log contains the record's set of deliveries, if the record is not done before. */
  readonly know: () => void;
  /** Must be called when the handler waits no longer for the begin of the record's work. */
  readonly started: () => void;
}

/**
 * Handles one record. If the handler throws an error, the handler is called again. After three programming errors, the
 * record becomes a dead letter. When `signal` is aborted, the handler finishes requests in flight, starts nothing else,
 * and returns `abandoned`.
 */
export type HandleRecord = (
  record: RawRecord,
  signal: AbortSignal,
  admitted: Admitted,
) => Promise<WorkResult>;

const triesOfProgrammingErrors = 3;
const firstRetryPauseMs = 100;
const longestRetryPauseMs = 5000;

/**
 * A handler that retries a record with growing pauses, and never throws. Retries end when the record is done, is a dead
 * letter, or its partition is revoked.
 */
export function createRetryingHandler(
  { deadLetters, logger }: { deadLetters: DeadLetters; logger: Logger },
  handle: HandleRecord,
): HandleRecord {
  /**
   * Appends a dead letter.
   * @returns false if the dead-letter topic is unavailable, so that the record is retried
   */
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
