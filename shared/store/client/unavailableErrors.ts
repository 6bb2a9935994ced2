import { MongoError, MongoNetworkError, MongoServerError, MongoServerSelectionError } from 'mongodb';

import { UnavailableError } from '../../core/errors.js';

/**
 * What a server answers while it stops, while another one becomes the primary, or where it took too long
 * (MongoDB error codes: MaxTimeMSExpired, WriteConcernTimeout, ShutdownInProgress, PrimarySteppedDown, NotWritablePrimary,
 * InterruptedAtShutdown, InterruptedDueToReplStateChange, NotPrimaryNoSecondaryOk, NotPrimaryOrSecondary).
 */
const passingCodes: ReadonlySet<unknown> = new Set([50, 64, 91, 189, 10_107, 11_600, 11_602, 13_435, 13_436]);

/**
 * What Node says of a connection that has just ended: the driver (mongodb 7.8) hands it on as it is where a command is written between the
 * other side's end and the close of its own.
 */
const endedCodes: ReadonlySet<unknown> = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_WRITE_AFTER_END',
  'ERR_STREAM_DESTROYED',
]);

/**
 * The result of work on the database.
 * @throws UnavailableError where the database is away, has no connection free or is too slow; any other failure as it is
 */
export async function mapUnavailableErrors<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw isPassing(error) ? new UnavailableError('the database does not answer', { cause: error }) : error;
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
    // The driver does not export the class of this one.
    (error instanceof MongoError && error.name === 'MongoWaitQueueTimeoutError')
  );
}
