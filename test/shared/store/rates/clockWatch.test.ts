import { expect } from 'chai';
import fc from 'fast-check';

import { createClockWatch } from '../../../../shared/store/rates/clockWatch.js';

const toleratedMs = 10;
/** The round trips and the pauses between them, in milliseconds. */
const answers = fc.array(
  fc.record({ pause: fc.integer({ min: 0, max: 5000 }), there: fc.nat(80), back: fc.nat(80) }),
  { minLength: 2, maxLength: 20 },
);

/** Observes answers of a server whose clock jumps before the last answer, and returns whether each showed a jump. */
function observed(
  roundTrips: readonly { readonly pause: number; readonly there: number; readonly back: number }[],
  jumpMs: number,
): readonly boolean[] {
  const watch = createClockWatch(toleratedMs);
  let time = 0;
  return roundTrips.map(({ pause, there, back }, index) => {
    const sentAt = time + pause;
    const receivedAt = sentAt + there + back;
    time = receivedAt;
    const jumped = index === roundTrips.length - 1 ? jumpMs : 0;
    return watch.observe({ sentAt, receivedAt, serverTime: 1_000_000 + sentAt + there + jumped });
  });
}

describe('The watch of a clock', () => {
  it('sees no jump of a clock that advances evenly', () => {
    fc.assert(
      fc.property(answers, fc.integer({ min: -toleratedMs, max: toleratedMs }), (roundTrips, jump) => {
        expect(observed(roundTrips, jump)).not.to.include(true);
      }),
    );
  });

  it('sees each jump that is longer than two round trips', () => {
    const jumps = fc.integer({ min: 400, max: 100_000 });
    fc.assert(
      fc.property(answers, jumps, fc.boolean(), (roundTrips, jump, isBack) => {
        const found = observed(roundTrips, isBack ? -jump : jump);
        expect(found.indexOf(true)).to.equal(roundTrips.length - 1);
      }),
    );
  });
});
