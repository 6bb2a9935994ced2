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

describe('deduplicate', () => {
  it('folds records with other ids', () => {
    expect(counted(['a', 'b', 'c'])?.count).to.equal(3);
  });

  it('folds a record once, however often it is repeated at once', () => {
    expect(counted(['a', 'a', 'a'])?.count).to.equal(1);
  });

  it('folds a record once if it is repeated after others', () => {
    expect(counted(['a', 'b', 'a', 'c', 'b'])?.count).to.equal(3);
  });

  it('returns the same document if the record was folded before', () => {
    const document = counted(['a']);

    expect(deduplicate(document, 'a', increment)).to.equal(document);
  });

  it('recognizes a record after 99 others', () => {
    expect(counted([...hundred, 'record 0'])?.count).to.equal(100);
  });

  it('remembers at most a hundred records', () => {
    expect(counted([...hundred, 'one more'])?.recordIds).to.deep.equal([...hundred.slice(1), 'one more']);
  });

  it('creates no document if the fold returns none', () => {
    expect(deduplicate<Counter>(null, 'a', () => null)).to.equal(null);
  });
});
