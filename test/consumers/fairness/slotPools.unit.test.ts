import { expect } from 'chai';

import { createSlotPool, mostInFlight, slotSettings } from '../../../consumers/fairness/slotPools.js';
import { attemptOrigins, type AttemptOrigin } from '../../../consumers/latency/attemptClasses.js';

/** A pool of which each origin has taken as many slots as it could get, one origin after the other. */
function filledBy(slots: number, ...origins: readonly AttemptOrigin[]) {
  const pool = createSlotPool({ slots, slowExchanges: 4 });
  const taken = origins.map((origin) => {
    let count = 0;
    for (; pool.freeFor(origin) > 0; count += 1) {
      pool.take(origin);
    }
    return count;
  });
  return { pool, taken };
}

describe('the slots of a process', () => {
  it('belong to fast webhooks by half, and to unknown ones by a quarter', () => {
    expect(slotSettings(40)).to.deep.equal({
      fast: { slots: 20, slowExchanges: 10 },
      unknown: { slots: 10, slowExchanges: 10 },
      slow: { slots: 30, slowExchanges: 0 },
    });
  });

  it('are one for each class at least', () => {
    expect(slotSettings(1)).to.deep.equal({
      fast: { slots: 2, slowExchanges: 1 },
      unknown: { slots: 1, slowExchanges: 1 },
      slow: { slots: 3, slowExchanges: 0 },
    });
  });

  it('allow at most twice as many exchanges in flight', () => {
    expect(mostInFlight(slotSettings(40))).to.equal(80);
  });
});

describe('the slots of a class', () => {
  for (const origin of attemptOrigins) {
    it(`are free for attempts of the origin ${origin}, except the eighth that each other origin has reserved`, () => {
      expect(filledBy(16, origin).taken).to.deep.equal([12]);
    });
  }

  it('contain reserved ones for each origin, no matter how many attempts of the others are in flight', () => {
    expect(filledBy(16, 'replay', 'retry', 'first').taken).to.deep.equal([12, 2, 2]);
  });

  it('are reserved for an origin only while it has fewer', () => {
    const { pool } = filledBy(16, 'first');
    pool.take('retry');
    expect([pool.inFlight, pool.freeFor('first'), pool.freeFor('replay')]).to.deep.equal([13, 0, 2]);
  });

  it('are free again after their release', () => {
    const { pool } = filledBy(16, 'first');
    pool.release('first');
    expect([pool.inFlight, pool.freeFor('first')]).to.deep.equal([11, 1]);
  });

  it('are free when their exchanges have become slow, while there are places for slow exchanges', () => {
    const { pool } = filledBy(16, 'first');
    const moved = Array.from({ length: 5 }, () => pool.moveToSlow('first'));
    expect(moved).to.deep.equal([true, true, true, true, false]);
    expect([pool.inFlight, pool.freeFor('first')]).to.deep.equal([8, 4]);
    pool.releaseSlow();
    expect(pool.moveToSlow('first')).to.equal(true);
  });

  it('have many slow exchanges if more than half of those places are taken', () => {
    const { pool } = filledBy(16, 'first');
    const many = Array.from({ length: 4 }, () => {
      pool.moveToSlow('first');
      return pool.hasManySlow();
    });
    expect(many).to.deep.equal([false, false, true, true]);
  });

  it('never have many slow exchanges if there are no places for them', () => {
    expect(createSlotPool({ slots: 3, slowExchanges: 0 }).hasManySlow()).to.equal(false);
  });
});
