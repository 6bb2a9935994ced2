import { MongoError, MongoNetworkError, MongoServerError, MongoServerSelectionError } from 'mongodb';

import { UnavailableError } from '../../core/errors.js';

/**
 * The error codes of a server that stops, is replaced as the primary, or takes too long. In MongoDB's names:
 * MaxTimeMSExpired, WriteConcernTimeout, ShutdownInProgress, PrimarySteppedDown, NotWritablePrimary,
 * InterruptedAtShutdown, InterruptedDueToReplStateChange, NotPrimaryNoSecondaryOk, NotPrimaryOrSecondary.
 */
const passingCodes: ReadonlySet<unknown> = new Set([50, 64, 91, 189, 10_107, 11_600, 11_602, 13_435, 13_436]);

/**
 * The error codes of Node for a connection that has just ended. The driver (mongodb 7.8) does not wrap them if a
 * command is written between the server's end of the connection and its own.
 */
const endedCodes: ReadonlySet<unknown> = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_WRITE_AFTER_END',
  'ERR_STREAM_DESTROYED',
]);

/**
 * The result of work on the database.
 * @throws UnavailableError if the database is unavailable, has no free connection, or is too slow; other failures are
 * rethrown
 */
export async function mapUnavailableErrors<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw isPassing(error) ? new UnavailableError('MongoDB does not respond', { cause: error }) : error;
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof MongoServerError) {
    return passingCodes.has(error.code);
  }
  return (
    (error instanceof Error && 'code' in error && endedCodes.has(error.code)) ||
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    // The driver does not export this error class.
    (error instanceof MongoError && error.name === 'MongoWaitQueueTimeoutError')
  );
}
