import { expect } from 'chai';
import fc from 'fast-check';

import {
  createDeferralPacer,
  longestDeferralMs,
  nextReturn,
  shortestDeferralMs,
  type PacerState,
  type ReturnRequest,
} from '../../../consumers/fairness/deferralPacer.js';

interface Take extends ReturnRequest {
  /** The time since the previous one. */
  readonly afterMs: number;
}

function anyTakes(intervalMs: fc.Arbitrary<number>): fc.Arbitrary<readonly Take[]> {
  const afterMs = fc.oneof(fc.constant(0), fc.nat(200), fc.nat(2 * longestDeferralMs));
  return fc.array(fc.record({ afterMs, intervalMs, isReturn: fc.boolean() }), {
    minLength: 1,
    maxLength: 200,
  });
}

const anyInterval = fc.double({ min: 0.01, max: 15_000, noNaN: true });

/** The due time that each call gets, and the time of the call. */
function slotsOf(takes: readonly Take[]): readonly { readonly now: number; readonly due: number }[] {
  let state: PacerState | null = null;
  let now = 1_000_000;
  return takes.map(({ afterMs, ...request }) => {
    now += afterMs;
    const taken = nextReturn(state, now, request);
    state = taken.state;
    return { now, due: taken.due };
  });
}

/** The wait of the last of several simultaneous attempts. */
function lastWaitOf(count: number, request: ReturnRequest): number {
  const last = slotsOf(Array.from({ length: count }, () => ({ afterMs: 0, ...request }))).at(-1);
  return (last?.due ?? 0) - (last?.now ?? 0);
}

describe('the deferral pacer', () => {
  it('gives no due time before the shortest deferral', () => {
    fc.assert(
      fc.property(anyTakes(anyInterval), (takes) => {
        expect(Math.min(...slotsOf(takes).map(({ now, due }) => due - now))).to.be.at.least(
          shortestDeferralMs,
        );
      }),
    );
  });

  it('gives no due time after the longest deferral plus 20 ms for each return', () => {
    fc.assert(
      fc.property(anyTakes(anyInterval), (takes) => {
        const beyond = slotsOf(takes).map(({ now, due }, index) => {
          const returned = takes.slice(0, index + 1).filter(({ isReturn }) => isReturn).length;
          return due - now - longestDeferralMs - returned * 20;
        });

        expect(Math.max(...beyond)).to.be.at.most(1e-6);
      }),
    );
  });

  it('gives no earlier due time than the previous one', () => {
    fc.assert(
      fc.property(anyTakes(anyInterval), (takes) => {
        const dues = slotsOf(takes).map(({ due }) => due);

        expect(dues).to.deep.equal(dues.toSorted((left, right) => left - right));
      }),
    );
  });

  it('spaces due times before the bound by the interval of the webhook', () => {
    expect(lastWaitOf(1001, { intervalMs: 100, isReturn: false })).to.equal(100_100);
  });

  it('gives at most a thousand due times a second for a webhook that answers at once', () => {
    expect(lastWaitOf(60_000, { intervalMs: 0.01, isReturn: false })).to.equal(60_000);
  });

  it('defers no first attempt for more than half an hour, no matter how many wait', () => {
    expect(lastWaitOf(500_000, { intervalMs: 600, isReturn: false })).to.equal(longestDeferralMs);
  });

  it('defers retries for longer if more than 50 a second return', () => {
    const wait = lastWaitOf(100_000, { intervalMs: 600, isReturn: true });

    expect(wait).to.be.within(100_000 * 20, longestDeferralMs + 100_000 * 20);
  });

  it('approaches half an hour again when few attempts return', () => {
    const many = Array.from({ length: 100_000 }, () => ({ afterMs: 0, intervalMs: 600, isReturn: true }));
    const last = slotsOf([...many, { afterMs: 3_600_000, intervalMs: 600, isReturn: true }]).at(-1);

    expect((last?.due ?? 0) - (last?.now ?? 0)).to.be.at.most(longestDeferralMs + 20);
  });
});

const returnRequest = { intervalMs: 1000, isReturn: false };

/** A pacer with a clock that only the test advances. */
function pacerOf(longestMs?: number) {
  let time = 1_000_000;
  const pacer = createDeferralPacer(() => time, longestMs);
  return {
    until: (queue: string) => pacer.untilReturnMs(queue, returnRequest),
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
  };
}

describe('the due times of deferred attempts', () => {
  it('advance with each attempt of a webhook', () => {
    const { until } = pacerOf();

    expect(Array.from({ length: 8 }, () => until('wh_1'))).to.deep.equal([
      5000, 5000, 5000, 5000, 5000, 6000, 7000, 8000,
    ]);
  });

  it('are independent for each webhook', () => {
    const { until } = pacerOf();
    Array.from({ length: 100 }, () => until('wh_1'));

    expect(until('wh_2')).to.equal(5000);
  });

  it('are not further ahead than the bound of the pacer', () => {
    const { until } = pacerOf(180_000);
    Array.from({ length: 1000 }, () => until('slow'));

    expect(until('slow')).to.equal(180_000);
  });

  it('are evicted after they have passed', () => {
    const { until, pass } = pacerOf();
    Array.from({ length: 1200 }, () => until('idle'));
    Array.from({ length: 100 }, () => until('ended'));
    pass(11 * 60_000);
    Array.from({ length: 1000 }, (_, index) => until(`other ${index}`));

    expect([until('idle'), until('ended')]).to.deep.equal([(1201 - 11 * 60) * 1000, 5000]);
  });
});
