/** How many ids of its last records a document contains. */
const rememberedIds = 100;

interface WithRecordIds {
  readonly recordIds: readonly string[];
}

/**
 * Folds a record into a document, unless the document contains the record's id. A producer that got no answer appends
 * its record again, possibly after other changes.
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
  return next === null ? null : { ...next, recordIds: [...next.recordIds, recordId].slice(-rememberedIds) };
}
