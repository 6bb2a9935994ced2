import { BSON, MongoBulkWriteError, MongoInvalidArgumentError, MongoServerError } from 'mongodb';

import { duplicateKey } from '../models/documentWrites.js';

/**
 * The error for documents that MongoDB permanently rejects, or that the driver cannot encode. An outage of MongoDB
 * never causes a `RejectedDocumentsError`.
 */
export class RejectedDocumentsError extends Error {
  override readonly name = 'RejectedDocumentsError';
}

/**
 * The error codes with which MongoDB rejects the content of a write. Error codes that depend on the state of the
 * MongoDB server are not in the list. The names of the error codes, in the order of the list:
 * - `BadValue`, `FailedToParse`, `TypeMismatch`, `Overflow` (nested too deeply), `InvalidBSON`, `PathNotViable`
 * - `ConflictingUpdateOperators`, `DollarPrefixedFieldName`, `InvalidIdField`, `EmptyFieldName`, `DottedFieldName`
 * - `ImmutableField`, `DocumentValidationFailure`, `CannotIndexParallelArrays`, `BSONObjectTooLarge`
 * - the size limits of an update and of an upsert
 */
const rejections: ReadonlySet<unknown> = new Set([
  2, 9, 14, 15, 22, 28, 40, 52, 53, 56, 57, 66, 121, 171, 10_334, 17_419, 17_420,
]);

/**
 * The labels of temporary errors, which the driver throws after its own retries. Another server, or the same server
 * later, may accept the write.
 */
const passingLabels = ['RetryableWriteError', 'TransientTransactionError', 'SystemOverloadedError'];

/** The error for rejected documents; null if a later write of the same documents may succeed. */
export function rejectionOf(error: unknown): RejectedDocumentsError | null {
  return isOfTheContent(error) ? new RejectedDocumentsError(messageIn(error), { cause: error }) : null;
}

function isOfTheContent(error: unknown): error is Error {
  if (error instanceof MongoServerError) {
    return isRejectedByServer(error);
  }
  return (
    error instanceof BSON.BSONError ||
    error instanceof MongoInvalidArgumentError ||
    // The encoder of the driver throws this RangeError if a document is larger than any message.
    (error instanceof RangeError && error.message === 'offset is out of bounds')
  );
}

function isRejectedByServer(error: MongoServerError): boolean {
  const isPassing =
    passingLabels.some((label) => error.hasErrorLabel(label)) ||
    (error instanceof MongoBulkWriteError && error.result.getWriteConcernError() !== undefined);
  // A bulk write without write errors was rejected as a whole, with the error code of the command.
  const codes = codesOf(error);
  const others = codes.filter((code) => !rejections.has(code));
  return !isPassing && others.length < codes.length && others.every((code) => code === duplicateKey);
}

function codesOf(error: MongoServerError): readonly unknown[] {
  const found = error instanceof MongoBulkWriteError ? error.result.getWriteErrors() : [];
  return found.length > 0 ? found.map(({ code }) => code) : [error.code];
}

/**
 * The beginning of MongoDB's error message. MongoDB's error message repeats a part of the document, and the reason of a
 * dead letter has a limited size.
 */
function messageIn({ message }: Error): string {
  return message.slice(0, longestMessage);
}

const longestMessage = 200;
