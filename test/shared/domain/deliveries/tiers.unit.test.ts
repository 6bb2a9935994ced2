import { expect } from 'chai';
import fc from 'fast-check';

import { nextAttempt, tierFor, tiers } from '../../../../shared/domain/deliveries/schedule.js';
import { createSeeded } from '../../log/group/seeded.js';
import { itHolds } from '../../../support/itHolds.js';

const dayMs = 24 * 60 * 60 * 1000;

/** The tiers that a record passes until less than the shortest remains, if each release is `lateMs` late. */
function tiersOnTheWay(waitMs: number, lateMs: number) {
  const passed: string[] = [];
  let remainingMs = waitMs;
  for (let tier = tierFor(remainingMs); tier !== null; tier = tierFor(remainingMs)) {
    passed.push(tier.name);
    remainingMs -= tier.delayMs + lateMs;
  }
  return { passed, remainingMs };
}

describe('tierFor', () => {
  for (const { name, delayMs } of tiers) {
    it(`is ${name} if exactly that remains`, () => {
      expect(tierFor(delayMs)?.name).to.equal(name);
    });

    it(`is a shorter one than ${name} if a millisecond less remains`, () => {
      expect(tierFor(delayMs - 1)?.delayMs ?? 0).to.be.lessThan(delayMs);
    });
  }

  it('is null if less than a second remains, or the time is past', () => {
    expect([999, 0, -1, -dayMs].map(tierFor)).to.deep.equal([null, null, null, null]);
  });

  itHolds(
    'never releases a record after it is due, except for late releases',
    [fc.nat(8 * dayMs), fc.integer({ min: 0, max: 500 })],
    (waitMs, lateMs) => {
      const { remainingMs } = tiersOnTheWay(waitMs, lateMs);

      expect(remainingMs).to.be.within(-lateMs, 999);
    },
  );

  itHolds(
    'needs at most 40 tiers for a wait of a day and a tenth',
    [fc.nat(Math.round(1.1 * dayMs))],
    (waitMs) => {
      expect(tiersOnTheWay(waitMs, 300).passed.length).to.be.at.most(40);
    },
  );

  describe('for each delay of the schedule, scheduled 20 ms after a failure', () => {
    const second = 1000;
    const minute = 60 * second;
    const hour = 60 * minute;
    /** The numbers of tier records with jitter, of 20,000 samples for each delay. */
    const table = [
      { delayMs: 5 * second, mean: 1.1, most: 4 },
      { delayMs: 5 * minute, mean: 8.8, most: 13 },
      { delayMs: 30 * minute, mean: 10.6, most: 17 },
      { delayMs: 2 * hour, mean: 8.8, most: 17 },
      { delayMs: 5 * hour, mean: 13.8, most: 23 },
      { delayMs: 10 * hour, mean: 15, most: 26 },
      { delayMs: 14 * hour, mean: 12.5, most: 23 },
      { delayMs: 20 * hour, mean: 16.6, most: 27 },
      { delayMs: 24 * hour, mean: 13.2, most: 24 },
    ];
    const draws = 5000;

    for (const { delayMs, mean, most } of table) {
      it(`uses ${mean} tiers on average, and ${most} at most, for ${delayMs / 1000} s`, () => {
        const random = createSeeded(delayMs);
        const counts = Array.from({ length: draws }, () => {
          const due = nextAttempt(
            [delayMs],
            { attemptsMade: 1, failedAt: new Date(0), retryAfter: null },
            random,
          );
          return tiersOnTheWay((due?.getTime() ?? 0) - 20, 500 * random()).passed.length;
        });

        expect(counts.reduce((sum, count) => sum + count, 0) / draws).to.be.within(mean - 0.5, mean + 0.5);
        expect(Math.max(...counts)).to.be.at.most(most + 1);
      });
    }
  });
});
