import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { createAttemptAdmission } from '../../../consumers/fairness/attemptAdmission.js';
import { createAttemptSlots } from '../../../consumers/fairness/attemptSlots.js';
import { createDeferrals } from '../../../consumers/fairness/deferrals.js';
import { slotSettings } from '../../../consumers/fairness/slotPools.js';
import { createLatencyTracker } from '../../../consumers/latency/latencyTracker.js';
import { createMetrics } from '../../../shared/runtime/metrics.js';
import { eventually } from '../../support/eventually.js';

const owner = { accountId: 'acct_1', webhookId: 'wh_1' };
const first = { isFirst: true, isOverShare: false };
const returning = { isFirst: false, isOverShare: false };
const never = new AbortController().signal;

/** An admission to one webhook, with a clock that only the test advances. Attempts run until the test ends them. */
function turnsOf(webhookConcurrency: number) {
  let time = 1_000_000;
  const lines: unknown[] = [];
  const metrics = createMetrics();
  const tracker = createLatencyTracker({ now: () => time, idleMs: () => time });
  const slots = createAttemptSlots({
    ...{ webhookConcurrency, tracker, slots: slotSettings(1000) },
    ...{ now: () => time, idleMs: () => time },
  });
  const deferrals = createDeferrals({
    tracker,
    webhookConcurrency,
    now: () => time,
    clock: () => new Date(time),
    metrics,
    logger: { warn: (line: unknown) => lines.push(line) },
  });
  const admission = createAttemptAdmission({ slots, tracker, deferrals, webhookConcurrency });
  const endings: (() => void)[] = [];
  const counts = { begun: 0, deferred: 0 };
  const waitsMs: number[] = [];
  const attempt = () =>
    tracker.timed(owner.webhookId, () => {
      counts.begun += 1;
      return new Promise<string>((resolve) => {
        endings.push(() => resolve('outcome'));
      });
    });
  const come = async (approach: typeof first, signal = never) => {
    const turn = await admission.admit(owner, approach, signal, attempt);
    if (turn.kind === 'deferred') {
      counts.deferred += 1;
      waitsMs.push(turn.due.getTime() - time);
    }
    return turn;
  };
  return {
    come,
    counts,
    lines,
    metrics,
    waitsMs,
    /** Requests the admission of this number of deliveries at the same time. */
    crowdIn: async (count: number, approach = first) => {
      for (let job = 0; job < count; job += 1) {
        void come(approach);
      }
      await endOfTurn();
    },
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
    /** Ends all attempts in flight. */
    endAll: async () => {
      endings.splice(0).forEach((end) => end());
      await endOfTurn();
    },
  };
}

describe('the admission of attempts', () => {
  it('runs an attempt at once if a slot is free, even for a slow webhook', async () => {
    const { come, counts, pass } = turnsOf(2);
    void come(first);
    await endOfTurn();
    pass(60_000);
    void come(first);
    await endOfTurn();

    expect(counts).to.deep.equal({ begun: 2, deferred: 0 });
  });

  it('defers no attempt of a burst of 100 for a new webhook', async () => {
    const { counts, crowdIn } = turnsOf(25);
    await crowdIn(100);

    expect(counts).to.deep.equal({ begun: 25, deferred: 0 });
  });

  it('defers few attempts of a backlog of 1,000 for a new webhook that answers', async () => {
    const { counts, crowdIn, endAll } = turnsOf(25);
    await crowdIn(1000);
    await endAll();

    expect(counts.deferred).to.be.at.most(20);
  });

  it('defers the rest of a backlog for a new webhook that does not answer for two seconds', async () => {
    const { counts, crowdIn } = turnsOf(25);
    await crowdIn(1000);

    // The default estimate of 250 ms makes 10 ms for each delivery. So 500 may wait, and 25 have a slot.
    await eventually('deferrals', () => (counts.deferred === 475 ? true : null));
    expect(counts.begun).to.equal(25);
  });

  it('neither runs nor defers an attempt whose partition was lost during the wait for the first latency', async () => {
    const { come, crowdIn, endAll } = turnsOf(25);
    const lost = new AbortController();
    await crowdIn(600);
    const turn = come(first, lost.signal);
    lost.abort();
    await endAll();

    expect(await turn).to.deep.equal({ kind: 'ran', result: null });
  });

  it('defers a first attempt that would wait longer than 5 s', async () => {
    const { counts, crowdIn, pass } = turnsOf(25);
    await crowdIn(25);
    pass(10_000);
    await crowdIn(50);

    // Ten seconds by 25 slots are 400 ms for each delivery, so twelve may wait.
    expect(counts).to.deep.equal({ begun: 25, deferred: 38 });
  });

  it('defers a retry like a first attempt', async () => {
    const { counts, crowdIn, pass } = turnsOf(25);
    await crowdIn(25);
    pass(10_000);
    await crowdIn(50, returning);

    expect(counts).to.deep.equal({ begun: 25, deferred: 38 });
  });

  it('defers an attempt of an account over its share, even if its webhook is free', async () => {
    const { come } = turnsOf(25);

    expect((await come({ isFirst: true, isOverShare: true })).kind).to.equal('deferred');
  });

  it('neither runs nor defers an attempt whose partition was lost', async () => {
    const { come } = turnsOf(25);

    expect(await come({ isFirst: true, isOverShare: true }, AbortSignal.abort())).to.deep.equal({
      kind: 'ran',
      result: null,
    });
  });

  it('defers no attempt after a webhook that hung has answered several times', async () => {
    const { counts, crowdIn, pass, endAll } = turnsOf(25);
    await crowdIn(25);
    pass(15_000);
    await endAll();
    for (let round = 0; round < 6; round += 1) {
      await crowdIn(25);
      pass(50);
      await endAll();
    }
    await crowdIn(100);

    expect(counts.deferred).to.equal(0);
  });

  it('defers by the longest tier that is not longer than the wait, if the webhook is fast', async () => {
    const { crowdIn, waitsMs } = turnsOf(1);
    await crowdIn(8000, { isFirst: true, isOverShare: true });

    expect([...new Set(waitsMs)]).to.deep.equal([5_000, 30_000, 180_000, 1_200_000]);
  });

  it('defers in steps of five seconds up to three minutes, if the webhook is slow', async () => {
    const { crowdIn, pass, waitsMs } = turnsOf(1);
    await crowdIn(1);
    pass(10_000);
    await crowdIn(25);

    expect([...new Set(waitsMs)]).to.deep.equal([
      ...Array.from({ length: 17 }, (_, index) => 10_000 * (index + 1) + 2500),
      180_000,
    ]);
  });

  it('counts every deferral', async () => {
    const { crowdIn, metrics } = turnsOf(1);
    await crowdIn(3, { isFirst: true, isOverShare: true });

    expect(await metrics.text()).to.include('postrider_deliveries_deferred_total 3');
  });

  it('logs once a minute that a webhook is busy', async () => {
    const { crowdIn, pass, lines } = turnsOf(1);
    const crowded = { isFirst: true, isOverShare: true };
    await crowdIn(50, crowded);
    pass(59_000);
    await crowdIn(50, crowded);
    pass(1_000);
    await crowdIn(50, crowded);

    expect(lines).to.deep.equal([
      { ...owner, meanExchangeMs: 250 },
      { ...owner, meanExchangeMs: 250 },
    ]);
  });
});
