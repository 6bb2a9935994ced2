import { expect } from 'chai';
import fc from 'fast-check';

import { outdatedAfterMs, refreshDelayMs } from '../../../dashboard/api/refreshDelay.js';

const everyMs = 5000;

describe('the time until the next refresh of a page', () => {
  it('doubles with each failure, up to half a minute', () => {
    const delays = [0, 1, 2, 3, 4, 100].map((failures) => refreshDelayMs({ everyMs, failures, tookMs: 10 }));
    expect(delays).to.deep.equal([5000, 10_000, 20_000, 30_000, 30_000, 30_000]);
  });

  it('is as long as a slow load took', () => {
    expect(refreshDelayMs({ everyMs, failures: 0, tookMs: 12_000 })).to.equal(12_000);
  });

  it('is never shorter than the interval, and at most half a minute unless the interval is longer', () => {
    const numbers = fc.record({
      everyMs: fc.integer({ min: 1, max: 100_000 }),
      failures: fc.nat(),
      tookMs: fc.nat(),
    });
    fc.assert(
      fc.property(numbers, (state) => {
        const delay = refreshDelayMs(state);
        expect(delay).to.be.within(state.everyMs, Math.max(state.everyMs, 30_000));
      }),
    );
  });

  it('passes twice before a value counts as outdated', () => {
    expect(outdatedAfterMs(everyMs)).to.be.above(2 * everyMs);
  });
});
