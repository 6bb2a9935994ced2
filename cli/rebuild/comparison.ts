import { canonicalText, differingFields, hashOf } from '../../shared/store/queries/canonicalDocument.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import type { ModelPositions } from '../../shared/store/models/generations.js';
import type { DocumentPair } from '../../shared/store/generations/generationReader.js';
import type { HasExpired } from './expiredDocuments.js';

/** A generation of a model that is built for a comparison, as far as its command says. */
export interface ComparedGeneration {
  readonly live: string;
  readonly rebuilt: string;
  /** Has the rebuilt one folded up to these positions, and no further, and waits for both to have come so far. */
  readonly buildTo: (positions: ModelPositions) => Promise<void>;
}

/** A document that is not what the log makes of it. */
export interface Difference {
  readonly id: string;
  /** Where it is missing, or which fields differ. */
  readonly difference: string;
}

/** What two generations have in documents that were compared: each time at equal positions. */
export interface ComparisonTotals {
  readonly documents: number;
  readonly checksum: string;
  readonly rebuiltDocuments: number;
  readonly rebuiltChecksum: string;
  /** Documents that the log gives and that were removed from the live one for their age: they are in no other figure. */
  readonly expired: number;
  readonly differing: number;
  /** The first ones. */
  readonly differences: readonly Difference[];
}

/** Adds up documents of the live generation (left) and of the one that was built from the log (right). */
export interface Comparison {
  /** Adds a pair where both are the same, or one has expired; else says so, and leaves it out. */
  addEqual: (pair: DocumentPair) => boolean;
  /** Adds a pair that stays different. */
  addDifferent: (pair: DocumentPair) => void;
  totals: () => ComparisonTotals;
}

const shownDifferences = 10;

export function createComparison(hasExpired: HasExpired): Comparison {
  const live = createTally();
  const rebuilt = createTally();
  const differences: Difference[] = [];
  let differing = 0;
  let expired = 0;

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
      differing += 1;
      if (differences.length < shownDifferences) {
        differences.push({ id: pair.id, difference: differenceOf(pair) });
      }
    },
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
