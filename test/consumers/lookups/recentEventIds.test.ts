import { expect } from 'chai';

import { createRecentEventIds } from '../../../consumers/lookups/recentEventIds.js';
import type { RawRecord } from '../../../shared/log/encoding/record.js';
import { rawRecord } from '../../support/records.js';

function recordAt(partition: number, offset: number): RawRecord {
  return rawRecord(
    { topic: 'events', key: 'evt', value: Buffer.from('{}'), headers: {} },
    { partition, offset },
  );
}

describe('recent events', () => {
  it('have not seen an event that comes for the first time', () => {
    expect(createRecentEventIds(10).wasSeen('evt_1', recordAt(1, 5))).to.equal(false);
  });

  it('have not seen an event whose own record comes again', () => {
    const recent = createRecentEventIds(10);
    recent.wasSeen('evt_1', recordAt(1, 5));

    expect(recent.wasSeen('evt_1', recordAt(1, 5))).to.equal(false);
  });

  for (const [what, record] of [
    ['another offset', recordAt(1, 6)],
    ['another partition', recordAt(2, 5)],
  ] as const) {
    it(`have seen an event that another record brings, at ${what}`, () => {
      const recent = createRecentEventIds(10);
      recent.wasSeen('evt_1', recordAt(1, 5));

      expect(recent.wasSeen('evt_1', record)).to.equal(true);
    });
  }

  it('go by the first record of an event, however often others come', () => {
    const recent = createRecentEventIds(10);
    const seen = [5, 6, 6, 5].map((offset) => recent.wasSeen('evt_1', recordAt(1, offset)));

    expect(seen).to.deep.equal([false, true, true, false]);
  });

  it('keep events apart', () => {
    const recent = createRecentEventIds(10);
    recent.wasSeen('evt_1', recordAt(1, 5));

    expect(recent.wasSeen('evt_2', recordAt(1, 6))).to.equal(false);
  });

  it('remember as many events as they are to', () => {
    const recent = createRecentEventIds(3);
    [1, 2, 3].forEach((number) => recent.wasSeen(`evt_${number}`, recordAt(1, number)));

    expect([1, 2, 3].map((number) => recent.wasSeen(`evt_${number}`, recordAt(1, 9)))).to.deep.equal([
      true,
      true,
      true,
    ]);
  });

  it('forget the oldest first', () => {
    const recent = createRecentEventIds(3);
    [1, 2, 3, 4].forEach((number) => recent.wasSeen(`evt_${number}`, recordAt(1, number)));

    expect([4, 3, 2, 1].map((number) => recent.wasSeen(`evt_${number}`, recordAt(1, 9)))).to.deep.equal([
      true,
      true,
      true,
      false,
    ]);
  });
});
