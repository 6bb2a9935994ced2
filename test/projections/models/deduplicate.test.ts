import { expect } from 'chai';

import { deduplicate } from '../../../projections/models/deduplicate.js';

interface Counter {
  readonly count: number;
  readonly recordIds: readonly string[];
}

const increment = (document: Counter | null): Counter => ({
  count: (document?.count ?? 0) + 1,
  recordIds: document?.recordIds ?? [],
});

/** The document after records of these ids. */
function counted(recordIds: readonly string[]): Counter | null {
  return recordIds.reduce<Counter | null>((document, id) => deduplicate(document, id, increment), null);
}

const hundred = Array.from({ length: 100 }, (_, index) => `record ${index}`);

describe('foldOnce', () => {
  it('folds records of other ids', () => {
    expect(counted(['a', 'b', 'c'])?.count).to.equal(3);
  });

  it('folds a record once, however often it comes at once', () => {
    expect(counted(['a', 'a', 'a'])?.count).to.equal(1);
  });

  it('folds a record once where others stand between', () => {
    expect(counted(['a', 'b', 'a', 'c', 'b'])?.count).to.equal(3);
  });

  it('gives the document itself where the record was folded', () => {
    const document = counted(['a']);

    expect(deduplicate(document, 'a', increment)).to.equal(document);
  });

  it('knows a record again behind 99 others', () => {
    expect(counted([...hundred, 'record 0'])?.count).to.equal(100);
  });

  it('remembers a hundred records and no more', () => {
    expect(counted([...hundred, 'one more'])?.recordIds).to.deep.equal([...hundred.slice(1), 'one more']);
  });

  it('makes nothing where the fold makes nothing', () => {
    expect(deduplicate<Counter>(null, 'a', () => null)).to.equal(null);
  });
});
