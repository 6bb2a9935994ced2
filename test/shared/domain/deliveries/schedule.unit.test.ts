import { expect } from 'chai';
import fc from 'fast-check';

import { nextAttempt } from '../../../../shared/domain/deliveries/schedule.js';
import { secondsLater, start } from '../../../support/facts.js';
import { itHolds } from '../../../support/itHolds.js';

const schedule = [5000, 300_000, 86_400_000];
const dayMs = 24 * 60 * 60 * 1000;

/** Milliseconds from the failure to the next attempt. */
function delayAfter(attemptsMade: number, random = 0, retryAfter: Date | null = null): number | null {
  const next = nextAttempt(schedule, { attemptsMade, failedAt: start, retryAfter }, () => random);
  return next === null ? null : next.getTime() - start.getTime();
}

describe('nextAttempt', () => {
  it('uses the delays of the schedule one after the other', () => {
    expect([1, 2, 3].map((made) => delayAfter(made))).to.deep.equal(schedule);
  });

  it('is null if the schedule is exhausted', () => {
    expect([4, 5].map((made) => delayAfter(made))).to.deep.equal([null, null]);
  });

  itHolds(
    'is up to a tenth later, and never earlier',
    [fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })],
    (random) => {
      expect(delayAfter(2, random)).to.be.within(300_000, 330_000);
    },
  );

  it('is spread over that tenth', () => {
    expect(delayAfter(2, 0.5)).to.equal(315_000);
  });

  it('is at the time that the receiver has requested, if that is later', () => {
    expect(delayAfter(1, 0, secondsLater(60))).to.equal(60_000);
  });

  it('is no earlier if the receiver has requested less', () => {
    expect(delayAfter(2, 0, secondsLater(60))).to.equal(300_000);
  });

  it('waits at most 24 hours for a receiver', () => {
    expect(delayAfter(1, 0, new Date(8.64e15))).to.equal(dayMs);
  });

  it('waits for longer than 24 hours if the schedule does', () => {
    expect(delayAfter(3, 0.5, new Date(8.64e15))).to.equal(1.05 * dayMs);
  });

  it('does not restart for a receiver that requests a time', () => {
    expect(delayAfter(4, 0, secondsLater(60))).to.equal(null);
  });
});
