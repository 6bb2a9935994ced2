import { expect } from 'chai';

import { createRecentRecords } from '../../../projections/fold/recentRecords.js';

const partition = { topic: 'events', partition: 1 } as const;
const other = { topic: 'deliveries', partition: 1 } as const;

describe('createRecentRecords', () => {
  it('knows what was remembered, in its own partition', () => {
    const recent = createRecentRecords(3);
    recent.remember(partition, ['a', 'b'], 2);

    expect([recent.has(partition, 'a'), recent.has(partition, 'c'), recent.has(other, 'a')]).to.deep.equal([
      true,
      false,
      false,
    ]);
  });

  it('forgets the oldest beyond its limit', () => {
    const recent = createRecentRecords(3);
    recent.remember(partition, ['a', 'b', 'c', 'd'], 4);

    expect(['a', 'b', 'c', 'd'].map((id) => recent.has(partition, id))).to.deep.equal([
      false,
      true,
      true,
      true,
    ]);
  });

  it('takes an id that comes again for one of the newest', () => {
    const recent = createRecentRecords(3);
    recent.remember(partition, ['a', 'b', 'c', 'a', 'd'], 5);

    expect(['a', 'b', 'c', 'd'].map((id) => recent.has(partition, id))).to.deep.equal([
      true,
      false,
      true,
      true,
    ]);
  });

  it('has a partition that was not read here read back as far as is remembered', () => {
    expect(createRecentRecords(100).beginningFor(partition, 250)).to.equal(150);
  });

  it('has one read back to its beginning at most', () => {
    expect(createRecentRecords(100).beginningFor(partition, 20)).to.equal(0);
  });

  it('has nothing read back where it goes on where it was', () => {
    const recent = createRecentRecords(100);
    recent.remember(partition, ['a'], 250);

    expect([recent.beginningFor(partition, 250), recent.has(partition, 'a')]).to.deep.equal([250, true]);
  });

  it('has one read back that another process has read on meanwhile, and forgets what lies before it', () => {
    const recent = createRecentRecords(100);
    recent.remember(partition, ['a'], 250);

    expect([recent.beginningFor(partition, 260), recent.has(partition, 'a')]).to.deep.equal([160, false]);
  });

  it('does not go back where records come again', () => {
    const recent = createRecentRecords(100);
    recent.remember(partition, ['a', 'b'], 251);
    recent.remember(partition, ['a'], 250);

    expect(recent.beginningFor(partition, 251)).to.equal(251);
  });
});
