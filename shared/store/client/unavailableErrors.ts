import { MongoError, MongoNetworkError, MongoServerError, MongoServerSelectionError } from 'mongodb';

import { TimeLimitError, UnavailableError } from '../../core/errors.js';

/** MaxTimeMSExpired. */
const timeLimitCode = 50;

/**
 * The error codes of a MongoDB server that stops, is replaced as the primary, or takes too long. The error codes are
 * named MaxTimeMSExpired, WriteConcernTimeout, ShutdownInProgress, PrimarySteppedDown, NotWritablePrimary,
 * InterruptedAtShutdown, InterruptedDueToReplStateChange, NotPrimaryNoSecondaryOk, NotPrimaryOrSecondary,
 * SnapshotTooOld, SnapshotUnavailable.
 */
const passingCodes: ReadonlySet<unknown> = new Set([
  timeLimitCode,
  64,
  91,
  189,
  10_107,
  11_600,
  11_602,
  13_435,
  13_436,
  239,
  246,
]);

/**
 * Node's error codes for a connection that the server has just ended. The driver (mongodb 7.8) does not wrap network
 * errors if a command is written before the driver closes its side of the connection.
 */
const endedCodes: ReadonlySet<unknown> = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_WRITE_AFTER_END',
  'ERR_STREAM_DESTROYED',
]);

/**
 * Waits for an operation of MongoDB and converts its temporary errors.
 * @throws UnavailableError if MongoDB is unavailable, has no free connection, or is too slow. It is a TimeLimitError if
 *   the operation has exceeded its own time limit. Other errors are thrown unchanged.
 */
export async function mapUnavailableErrors<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!isPassing(error)) {
      throw error;
    }
    const Unavailable = isTimeLimit(error) ? TimeLimitError : UnavailableError;
    throw new Unavailable('MongoDB does not respond', { cause: error });
  }
}

function isTimeLimit(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === timeLimitCode;
}

function isPassing(error: unknown): boolean {
  if (error instanceof MongoServerError) {
    return passingCodes.has(error.code);
  }
  return (
    (error instanceof Error && 'code' in error && endedCodes.has(error.code)) ||
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    // The driver does not export the class `MongoWaitQueueTimeoutError`.
    (error instanceof MongoError && error.name === 'MongoWaitQueueTimeoutError')
  );
}
