import { expect } from 'chai';
import fc from 'fast-check';

import {
  percentile,
  withDuration,
  type DurationHistogram,
} from '../../../../shared/domain/deliveries/deliveryCounts.js';
import { itHolds } from '../../../support/itHolds.js';

function histogramOf(durations: readonly number[]): DurationHistogram {
  return durations.reduce<DurationHistogram>(withDuration, {});
}

/** The exact percentile by nearest rank. */
function exact(durations: readonly number[], share: number): number {
  const sorted = durations.toSorted((left, right) => left - right);
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? 0;
}

const anyDurations = fc.array(fc.double({ min: 1, max: 2 ** 31 - 1, noNaN: true }), {
  minLength: 1,
  maxLength: 60,
});

describe('percentile', () => {
  it('is null without durations', () => {
    expect(percentile({}, 0.5)).to.equal(null);
  });

  for (const share of [0.5, 0.95, 0.99]) {
    itHolds(`is at most 5 % off the exact one for ${share}`, [anyDurations], (durations) => {
      const found = percentile(histogramOf(durations), share) ?? 0;

      // Rounding may add a tenth of a millisecond.
      expect(Math.abs(found - exact(durations, share))).to.be.at.most(exact(durations, share) * 0.05 + 0.05);
    });
  }

  itHolds('does not depend on the order of the durations', [anyDurations], (durations) => {
    expect(histogramOf(durations.toReversed())).to.deep.equal(histogramOf(durations));
  });

  it('has no more than 249 classes', () => {
    const durations = Array.from({ length: 5000 }, (_, index) => 1.01 ** index);

    expect(Object.keys(histogramOf(durations)).length).to.be.at.most(249);
  });

  it('counts less than a millisecond as one', () => {
    expect(percentile(histogramOf([0, 0.2]), 0.5)).to.equal(1);
  });

  it('includes the longest timeout of an attempt', () => {
    const longestMs = 2 ** 31 - 1;

    expect(percentile(histogramOf([longestMs]), 0.5)).to.be.closeTo(longestMs, longestMs * 0.05);
  });

  it('counts anything longer as the longest', () => {
    expect(percentile(histogramOf([1e15]), 0.5)).to.equal(percentile(histogramOf([2 ** 31]), 0.5));
  });
});
