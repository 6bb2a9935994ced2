import { expect } from 'chai';

import {
  transactionsOf,
  type ChangeWithEntries,
} from '../../../../shared/store/generations/modelGeneration.js';
import type { EntryDocument } from '../../../../shared/store/models/documents.js';

/** Changes of documents, each of which gets this many entries. */
function changesWith(count: number, entries: number): readonly ChangeWithEntries[] {
  return Array.from({ length: count }, (_, number) => ({
    change: { before: null, after: { _id: String(number), positions: {} } },
    entries: { before: [], after: Array<EntryDocument>(entries) },
  }));
}

function sizesOf(changes: readonly ChangeWithEntries[]): readonly number[] {
  return transactionsOf(changes).map(({ length }) => length);
}

describe('The transactions of changed documents', () => {
  it('contain at most 100 documents', () => {
    expect(sizesOf(changesWith(250, 1))).to.deep.equal([100, 100, 50]);
  });

  it('contain at most 2,000 writes of documents, entries and counters', () => {
    expect(sizesOf(changesWith(20, 100))).to.deep.equal([9, 9, 2]);
  });

  it('contain a document with more entries alone', () => {
    expect(sizesOf(changesWith(3, 2000))).to.deep.equal([1, 1, 1]);
  });

  it('contain every change once, in order', () => {
    const changes = changesWith(123, 30);
    expect(transactionsOf(changes).flat()).to.deep.equal(changes);
  });
});
