import { expect } from 'chai';

import { createRecentRecordIds, recentRecordIdsFor } from '../../../projections/fold/recentRecordIds.js';

const partition = { topic: 'events', partition: 1 } as const;
const other = { topic: 'deliveries', partition: 1 } as const;

describe('createRecentRecordIds', () => {
  it('remembers ids for each partition', () => {
    const recent = createRecentRecordIds(3);
    recent.remember(partition, ['a', 'b'], 2);

    expect([recent.has(partition, 'a'), recent.has(partition, 'c'), recent.has(other, 'a')]).to.deep.equal([
      true,
      false,
      false,
    ]);
  });

  it('evicts the oldest ids beyond its limit', () => {
    const recent = createRecentRecordIds(3);
    recent.remember(partition, ['a', 'b', 'c', 'd'], 4);

    expect(['a', 'b', 'c', 'd'].map((id) => recent.has(partition, id))).to.deep.equal([
      false,
      true,
      true,
      true,
    ]);
  });

  it('counts a repeated id as one of the newest', () => {
    const recent = createRecentRecordIds(3);
    recent.remember(partition, ['a', 'b', 'c', 'a', 'd'], 5);

    expect(['a', 'b', 'c', 'd'].map((id) => recent.has(partition, id))).to.deep.equal([
      true,
      false,
      true,
      true,
    ]);
  });

  it('starts reading one window earlier in a partition that was not read before', () => {
    expect(createRecentRecordIds(100).startOffsetFor(partition, 250)).to.equal(150);
  });

  it('starts reading at the beginning of a partition at the earliest', () => {
    expect(createRecentRecordIds(100).startOffsetFor(partition, 20)).to.equal(0);
  });

  it('starts at the next offset if reading ended there', () => {
    const recent = createRecentRecordIds(100);
    recent.remember(partition, ['a'], 250);

    expect([recent.startOffsetFor(partition, 250), recent.has(partition, 'a')]).to.deep.equal([250, true]);
  });

  it('starts one window earlier, and drops earlier ids, if another process has read the partition meanwhile', () => {
    const recent = createRecentRecordIds(100);
    recent.remember(partition, ['a'], 250);

    expect([recent.startOffsetFor(partition, 260), recent.has(partition, 'a')]).to.deep.equal([160, false]);
  });

  it('does not move back if records are read again', () => {
    const recent = createRecentRecordIds(100);
    recent.remember(partition, ['a', 'b'], 251);
    recent.remember(partition, ['a'], 250);

    expect(recent.startOffsetFor(partition, 251)).to.equal(251);
  });
});

describe('the recent record ids of a projection', () => {
  it('are as many as its deduplication window', () => {
    expect(recentRecordIdsFor({ deduplicationWindow: 100 })?.startOffsetFor(partition, 250)).to.equal(150);
  });

  it('are not remembered if its fold ignores duplicates', () => {
    expect([recentRecordIdsFor({}), recentRecordIdsFor({ deduplicationWindow: 0 })]).to.deep.equal([
      null,
      null,
    ]);
  });
});
