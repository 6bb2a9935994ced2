import { expect } from 'chai';
import fc from 'fast-check';

import { createWithdrawnPair, type Fate } from './withdrawnPair.js';

const anyFate: fc.Arbitrary<Fate> = fc.record({
  pick: fc.double({ min: 0, max: 0.999, noNaN: true }),
  diesAfter: fc.integer({ min: 1, max: 12 }),
  succeeds: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
  hangs: fc.boolean(),
  client: fc.oneof(
    { weight: 4, arbitrary: fc.constant('nothing' as const) },
    { weight: 3, arbitrary: fc.constantFrom('replays' as const, 'cancels' as const) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('resends' as const, 'cancelsEarlier' as const, 'repeats' as const),
    },
  ),
});
const anyHistory = fc.array(anyFate, { minLength: 5, maxLength: 40, size: 'max' });

/** A step without a fault, of the oldest open record. */
const quiet: Fate = { pick: 0, diesAfter: Infinity, succeeds: false, hangs: false, client: 'nothing' };
const mostSteps = 500;

function lived(isMissing: boolean, history: readonly Fate[]) {
  const pair = createWithdrawnPair(isMissing);
  history.forEach(pair.live);
  for (let step = 0; step < mostSteps && !pair.isDone(); step += 1) {
    // Another record is next if the oldest one waits for an attempt in flight.
    pair.live({ ...quiet, pick: (step % 10) / 10 });
  }
  return pair;
}

describe('A delivery whose replays are canceled at any moment, while its process crashes', () => {
  for (const isMissing of [false, true]) {
    it(`ends${isMissing ? ', if it did not exist before' : ''}`, () => {
      let withdrawals = 0;
      fc.assert(
        fc.property(anyHistory, (history) => {
          const pair = lived(isMissing, history);
          withdrawals += pair.withdrawals();
          expect([pair.isDone(), pair.isFinal()], JSON.stringify(pair.delivery())).to.deep.equal([
            true,
            true,
          ]);
        }),
        { numRuns: 150 },
      );
      expect(withdrawals).to.be.greaterThan(20);
    });
  }
});
