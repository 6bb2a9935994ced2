/** A document remembers as many of its last records' ids. */
const remembered = 100;

interface WithRecordIds {
  readonly recordIds: readonly string[];
}

/**
 * Folds a record into a resource's document unless a record with its id was folded before: a producer that got no answer
 * appends its record again, and other changes may stand between the two.
 */
export function deduplicate<Document extends WithRecordIds>(
  document: Document | null,
  recordId: string,
  fold: (document: Document | null) => Document | null,
): Document | null {
  if (document?.recordIds.includes(recordId) === true) {
    return document;
  }
  const next = fold(document);
  return next === null ? null : { ...next, recordIds: [...next.recordIds, recordId].slice(-remembered) };
}
