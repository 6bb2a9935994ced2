import { expect } from 'chai';
import fc from 'fast-check';

import { createIdentifiers, isIdentifier } from '../../../../shared/domain/core/identifiers.js';
import { lowestKeptEventId, mayHaveExpired } from '../../../../shared/domain/events/expiry.js';
import { itHolds } from '../../../support/itHolds.js';

const hourMs = 60 * 60 * 1000;
const now = new Date('2026-11-21T12:00:00.000Z');
const { create } = createIdentifiers(Math.random);

describe('The expiry of events', () => {
  it('has an id as its bound', () => {
    expect(isIdentifier('evt', lowestKeptEventId(hourMs, now))).to.equal(true);
  });

  it('removes older events, a minute after their id counts as expired', () => {
    const isRemoved = (ageMs: number) =>
      create('evt', new Date(now.getTime() - ageMs)) < lowestKeptEventId(hourMs, now);
    expect([hourMs - 1, hourMs + 59_000, hourMs + 61_000].map(isRemoved)).to.deep.equal([false, false, true]);
  });

  itHolds(
    'removes no event whose id does not count as expired, on any clock that is right to a minute',
    [
      fc.integer({ min: 0, max: 10 * hourMs }),
      fc.integer({ min: hourMs, max: 5 * hourMs }),
      fc.integer({ min: -59_000, max: 59_000 }),
    ],
    (ageMs, expiryMs, skewMs) => {
      const id = create('evt', new Date(now.getTime() - ageMs));
      const isRemoved = id < lowestKeptEventId(expiryMs, now);
      return !isRemoved || mayHaveExpired(id, expiryMs, new Date(now.getTime() + skewMs));
    },
  );

  it('treats no id as expired if events are retained', () => {
    expect(mayHaveExpired(create('evt', new Date(0)), null, now)).to.equal(false);
  });

  it('has a bound even if no event can be so old', () => {
    expect(lowestKeptEventId(100 * 365 * 24 * hourMs, now)).to.equal(`evt_${'0'.repeat(26)}`);
  });

  it('treats an id as expired once it is older than the retention of events', () => {
    const isExpired = (ageMs: number) =>
      mayHaveExpired(create('evt', new Date(now.getTime() - ageMs)), hourMs, now);

    expect([0, hourMs, hourMs + 1].map(isExpired)).to.deep.equal([false, false, true]);
  });
});
