import { MongoServerError, type ClientSession, type Db } from 'mongodb';

/**
 * Runs writes in one transaction, which reads one snapshot. The transaction is not repeated: the caller reads again
 * after a conflict.
 * @param work resolves to false to abort the transaction
 * @returns whether the transaction was committed
 * @throws MongoServerError with the code of a write conflict if another transaction has changed a document first
 */
export async function inTransaction(
  { client }: Db,
  work: (session: ClientSession) => Promise<boolean>,
): Promise<boolean> {
  return client.withSession(async (session) => {
    session.startTransaction({ readConcern: { level: 'snapshot' } });
    const isDone = await work(session);
    // The end of a session aborts a transaction that was not committed.
    if (isDone) {
      await session.commitTransaction();
    }
    return isDone;
  });
}

const writeConflict = 112;

/** Whether a transaction has failed because another write has changed one of its documents first. */
export function isWriteConflict(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === writeConflict;
}
