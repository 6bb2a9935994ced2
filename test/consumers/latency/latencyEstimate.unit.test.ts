import { expect } from 'chai';
import fc from 'fast-check';

import {
  exchangeBegan,
  exchangeEnded,
  exchangeBecameSlow,
  hangs,
  latencyClassOf,
  meanExchangeMs,
  unknownLatency,
  type LatencyEstimate,
} from '../../../consumers/latency/latencyEstimate.js';

/** The estimate after sequential exchanges with these durations. */
function timesAfter(durations: readonly number[], from = unknownLatency): LatencyEstimate {
  return durations.reduce(
    (times, durationMs) => exchangeEnded(exchangeBegan(times), durationMs, false),
    from,
  );
}

const repeated = (count: number, durationMs: number) => Array.from({ length: count }, () => durationMs);

describe('the latency estimate', () => {
  it('is 250 ms before the first exchange', () => {
    expect(meanExchangeMs(unknownLatency, 60_000)).to.equal(250);
  });

  it('approaches the true mean after few exchanges', () => {
    expect(meanExchangeMs(timesAfter(repeated(9, 50)), 0)).to.be.closeTo(70, 1e-9);
  });

  it('follows a webhook that becomes slow', () => {
    const times = timesAfter(repeated(50, 10_000), timesAfter(repeated(1000, 50)));

    expect(meanExchangeMs(times, 0)).to.be.within(9_000, 10_000);
  });

  it('follows a webhook that becomes fast again', () => {
    const times = timesAfter(repeated(100, 50), timesAfter(repeated(100, 15_000)));

    expect(meanExchangeMs(times, 0)).to.be.within(50, 200);
  });

  it('grows while no exchange in flight ends, before the first timeout', () => {
    const times = exchangeBegan(timesAfter(repeated(100, 50)));

    expect(meanExchangeMs(times, 3_000)).to.equal(3_000);
  });

  it('does not grow while no exchange is in flight', () => {
    const times = timesAfter(repeated(100, 50));

    expect(meanExchangeMs(times, 60_000)).to.be.below(60);
  });

  it('is not dominated by the few exchanges that hang', () => {
    // Ten exchanges run at the same time, for an hour. One in ten hangs for 15 s.
    let times = unknownLatency;
    let changedAt = 0;
    let begun = 0;
    const endings = new Map<number, number>();
    const begin = (now: number) => {
      begun += 1;
      const durationMs = begun % 10 === 0 ? 15_000 : 50;
      times = exchangeBegan(times);
      endings.set(begun, now + durationMs);
    };
    Array.from({ length: 10 }, () => begin(0));
    const seen: number[] = [];
    for (let round = 0; round < 20_000; round += 1) {
      const [id, endsAt] = [...endings].reduce((first, next) => (next[1] < first[1] ? next : first));
      seen.push(meanExchangeMs(times, endsAt - changedAt));
      endings.delete(id);
      times = exchangeEnded(times, id % 10 === 0 ? 15_000 : 50, false);
      begin(endsAt);
      changedAt = endsAt;
    }
    const mean = seen.reduce((sum, value) => sum + value, 0) / seen.length;

    expect(mean).to.be.within(1_200, 2_200);
  });

  it('is always within the measured times, and never has a negative number in flight', () => {
    const anyDurations = fc.array(fc.integer({ min: 1, max: 15_000 }), { minLength: 1, maxLength: 100 });
    fc.assert(
      fc.property(anyDurations, (durations) => {
        const times = timesAfter(durations);
        const all = [250, ...durations];

        expect(meanExchangeMs(times, 0)).to.be.within(Math.min(...all) - 1e-6, Math.max(...all) + 1e-6);
      }),
    );
  });
});

describe('a webhook', () => {
  const quick = exchangeBegan(timesAfter(repeated(100, 50)));
  const slow = exchangeBegan(timesAfter(repeated(100, 2_000)));

  it('has begun to hang if no exchange has ended for two seconds', () => {
    expect([hangs(quick, 2_000), hangs(quick, 2_001)]).to.deep.equal([false, true]);
  });

  it('has not begun to hang while it takes less than four times as long as its mean exchange', () => {
    expect([hangs(slow, 7_000), hangs(slow, 9_000)]).to.deep.equal([false, true]);
  });

  it('has not begun to hang if no exchange is in flight and the latest ones were answered', () => {
    expect(hangs(timesAfter(repeated(100, 50)), 60_000)).to.equal(false);
  });

  it('hangs after three exchanges in a row without an answer, until it answers', () => {
    const unanswered = (times: LatencyEstimate) => exchangeEnded(exchangeBegan(times), 15_000, true, false);
    const twice = unanswered(unanswered(quick));
    const thrice = unanswered(twice);
    const answered = timesAfter([50], thrice);

    expect([twice, thrice, answered].map((times) => hangs(times, 0))).to.deep.equal([false, true, false]);
  });
});

describe('the latency class of a webhook', () => {
  const hanging = (times: LatencyEstimate) => exchangeBecameSlow(exchangeBegan(times));

  it('is unknown before the first exchange', () => {
    expect(latencyClassOf(unknownLatency)).to.equal('unknown');
  });

  it('is fast after one quick exchange, and slow after one slow exchange', () => {
    expect([latencyClassOf(timesAfter([1000])), latencyClassOf(timesAfter([1001]))]).to.deep.equal([
      'fast',
      'slow',
    ]);
  });

  it('becomes slow when three exchanges hang, before any of them has ended', () => {
    const once = hanging(timesAfter(repeated(100, 50)));
    const twice = hanging(once);

    expect([once, twice, hanging(twice)].map(latencyClassOf)).to.deep.equal(['unknown', 'unknown', 'slow']);
  });

  it('stays fast when one exchange hangs and the next one does not', () => {
    expect(latencyClassOf(timesAfter([50], hanging(timesAfter([50]))))).to.equal('fast');
  });

  it('does not change when a slow exchange ends', () => {
    const after = timesAfter([50], hanging(timesAfter([50])));

    expect(latencyClassOf(exchangeEnded(after, 15_000, true))).to.equal('fast');
  });

  it('becomes fast again with the third quick exchange', () => {
    const hung = timesAfter(repeated(100, 15_000));

    expect([1, 2, 3].map((count) => latencyClassOf(timesAfter(repeated(count, 50), hung)))).to.deep.equal([
      'slow',
      'slow',
      'fast',
    ]);
  });

  it('is nearly always fast if one exchange in a hundred hangs', () => {
    const anyHangs = fc.array(
      fc.integer({ min: 1, max: 100 }).map((drawn) => drawn === 1),
      { minLength: 1000, maxLength: 1000 },
    );
    fc.assert(
      fc.property(anyHangs, (hangs) => {
        let times = timesAfter([50]);
        const classes = hangs.map((hangsNow) => {
          times = hangsNow ? hanging(times) : timesAfter([50], times);
          return latencyClassOf(times);
        });

        expect(classes.filter((latencyClass) => latencyClass === 'slow').length).to.be.at.most(20);
      }),
      { seed: 26, numRuns: 100 },
    );
  });
});
