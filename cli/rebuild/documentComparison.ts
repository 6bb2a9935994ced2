import { isFinal } from '../../shared/domain/deliveries/delivery.js';
import { mayHaveExpired } from '../../shared/domain/events/expiry.js';
import { canonicalText, differingFields, hashOf } from '../../shared/store/entries/canonicalDocument.js';
import type { DocumentPair } from '../../shared/store/generations/generationReader.js';
import type { ModelDocument, AttemptDocument, EventDocument } from '../../shared/store/models/documents.js';
import type { ModelPositions } from '../../shared/store/models/generations.js';
import type { ModelName } from '../../shared/store/models/modelDefinitions.js';

/** A generation that is built for a comparison, and the live generation. */
export interface ComparedGeneration {
  readonly live: string;
  readonly rebuilt: string;
  /**
   * Lets the rebuilt generation fold up to these positions and no further. The promise resolves when both generations
   * have reached the positions.
   */
  readonly buildTo: (positions: ModelPositions) => Promise<void>;
}

/** A document whose live form differs from the form that was built from the log. */
export interface Difference {
  readonly id: string;
  /** The generation that lacks the document, or the fields that differ. */
  readonly difference: string;
}

/** The figures of the compared documents of two generations. Both documents of a pair are read at equal positions. */
export interface ComparisonTotals {
  readonly documents: number;
  readonly checksum: string;
  readonly rebuiltDocuments: number;
  readonly rebuiltChecksum: string;
  /**
   * The number of documents that the log contains, but that were removed from the live generation because of their age.
   * All other figures exclude these expired documents.
   */
  readonly expired: number;
  readonly differing: number;
  readonly differences: readonly Difference[];
}

/**
 * Sums up the comparison of documents of the live generation (left) and of the generation that was built from the log
 * (right).
 */
export interface Comparison {
  /**
   * Adds a pair of documents and returns true if both documents are equal, or one has expired. For any other pair, the
   * method adds nothing and returns false.
   */
  addEqual: (pair: DocumentPair) => boolean;
  /** Adds a pair of documents that still differs after a recheck. */
  addDifferent: (pair: DocumentPair) => void;
  /** Adds a difference of an entry or a counters document, which no other figure counts. */
  addDerived: (difference: Difference) => void;
  totals: () => ComparisonTotals;
}

const shownDifferences = 10;

export function createComparison(hasExpired: HasExpired): Comparison {
  const live = createTally();
  const rebuilt = createTally();
  const differences: Difference[] = [];
  let differing = 0;
  let expired = 0;

  const addDifference = (difference: Difference) => {
    differing += 1;
    if (differences.length < shownDifferences) {
      differences.push(difference);
    }
  };

  return {
    addEqual: (pair) => {
      const [leftText, rightText] = [textOf(pair.left), textOf(pair.right)];
      if (leftText !== rightText) {
        const isExpired = hasExpired(pair);
        expired += isExpired ? 1 : 0;
        return isExpired;
      }
      live.add(leftText);
      rebuilt.add(rightText);
      return true;
    },
    addDifferent: (pair) => {
      live.add(textOf(pair.left));
      rebuilt.add(textOf(pair.right));
      addDifference({ id: pair.id, difference: differenceOf(pair) });
    },
    addDerived: addDifference,
    totals: () => ({
      documents: live.documents(),
      checksum: live.checksum(),
      rebuiltDocuments: rebuilt.documents(),
      rebuiltChecksum: rebuilt.checksum(),
      expired,
      differing,
      differences,
    }),
  };
}

function textOf(document: ModelDocument | null): string | null {
  return document === null ? null : canonicalText(document);
}

function differenceOf({ left, right }: DocumentPair): string {
  if (left === null) {
    return 'missing from the read model';
  }
  return right === null
    ? 'not in the log'
    : `differs from the log in ${differingFields(left, right).join(', ')}`;
}

function createTally() {
  let documents = 0;
  let sum = 0n;
  return {
    add: (text: string | null) => {
      if (text !== null) {
        documents += 1;
        sum = BigInt.asUintN(64, sum + hashOf(text));
      }
    },
    documents: () => documents,
    checksum: () => sum.toString(16).padStart(16, '0'),
  };
}

/** Whether a document that the log still contains was removed from the live model (left) because of its age. */
type HasExpired = (pair: DocumentPair) => boolean;

/**
 * An event with an open delivery in the log has not expired, however old the event is. If the live model lacks such an
 * event, the event was lost.
 * @param expiryMs the age at which events are removed, or null if events are never removed
 */
export function createHasExpired(model: ModelName, expiryMs: number | null, now: Date): HasExpired {
  const isOld = (eventId: string) => mayHaveExpired(eventId, expiryMs, now);
  switch (model) {
    case 'events':
      return ({ id, left, right }) =>
        isOld(id) && isEvent(right) && !isRead(left) && right.deliveries.every(isFinal);
    case 'attempts':
      return ({ left, right }) => left === null && isAttempt(right) && isOld(right.eventId);
    default:
      return () => false;
  }
}

function isEvent(document: ModelDocument | null): document is EventDocument {
  return document !== null && 'deliveries' in document;
}

function isAttempt(document: ModelDocument | null): document is AttemptDocument {
  return document !== null && 'eventId' in document;
}

/**
 * Whether a document contains its event. A late outcome of a removed event creates a document without the event, until
 * the next periodic removal.
 */
function isRead(document: ModelDocument | null): boolean {
  return document !== null && 'source' in document;
}
