import { expect } from 'chai';

import { createLatencyTracker } from '../../../consumers/latency/latencyTracker.js';
import { eventually } from '../../support/eventually.js';

/** A tracker with a clock that only the test advances. */
function trackerAt(start = 1_000_000, generationSize?: number) {
  let time = start;
  let busyMs = 0;
  const tracker = createLatencyTracker({ now: () => time, idleMs: () => time - busyMs }, generationSize);
  return {
    tracker,
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
    work: (milliseconds: number) => {
      time += milliseconds;
      busyMs += milliseconds;
    },
    /** @param ofItBusyMs the part of the time during which this process was busy */
    exchange: (webhookId: string, durationMs: number, ofItBusyMs = 0) =>
      tracker.timed(webhookId, () => {
        time += durationMs;
        busyMs += ofItBusyMs;
        return Promise.resolve('answer');
      }),
  };
}

describe('the latency tracker', () => {
  it('returns the result of the exchange', async () => {
    expect(await trackerAt().exchange('wh_1', 10)).to.equal('answer');
  });

  it('tracks each webhook separately', async () => {
    const { tracker, exchange } = trackerAt();
    await exchange('wh_1', 10_000);

    expect([tracker.meanExchangeMs('wh_1'), tracker.meanExchangeMs('wh_2')]).to.deep.equal([5125, 250]);
  });

  it('counts the time of an exchange without the busy time of this process', async () => {
    const { tracker, exchange } = trackerAt();
    await exchange('wh_1', 1_900, 1_850);

    expect(tracker.meanExchangeMs('wh_1')).to.equal(150);
  });

  it('recognizes a slow webhook even if this process is busy', async () => {
    const { tracker, exchange } = trackerAt();
    await exchange('wh_1', 10_000, 10_000);

    expect(tracker.meanExchangeMs('wh_1')).to.equal(4_125);
  });

  it('does not count an exchange without a result, because it says nothing about its webhook', async () => {
    const { tracker, pass } = trackerAt();
    await tracker
      .timed('wh_1', () => {
        pass(5_000);
        return Promise.reject(new Error('the egress proxy is at fault'));
      })
      .catch(String);

    expect(tracker.meanExchangeMs('wh_1')).to.equal(250);
    expect(tracker.hangs('wh_1')).to.equal(false);
  });

  it('recognizes a webhook that does not answer as slow', () => {
    const { tracker, pass } = trackerAt();
    void tracker.timed('wh_1', () => new Promise(() => null));
    pass(4_000);

    expect(tracker.meanExchangeMs('wh_1')).to.equal(4_000);
  });

  it('recognizes a webhook that has begun to hang, even if further exchanges begin', () => {
    const { tracker, pass } = trackerAt();
    const hang = () => void tracker.timed('wh_1', () => new Promise(() => null));
    hang();
    pass(1_500);
    hang();
    const before = tracker.hangs('wh_1');
    pass(501);

    expect([before, tracker.hangs('wh_1')]).to.deep.equal([false, true]);
  });

  it('does not classify a webhook as slow because this process is busy', () => {
    const { tracker, work } = trackerAt();
    void tracker.timed('wh_1', () => new Promise(() => null));
    work(1_950);

    expect(tracker.meanExchangeMs('wh_1')).to.equal(250);
  });

  it('evicts only webhooks that were idle for long, also if no further webhook follows', async () => {
    const { tracker, pass, exchange } = trackerAt();
    await exchange('idle', 1000);
    for (let time = 0; time < 2; time += 1) {
      pass(11 * 60_000);
      await exchange('busy', 1000);
    }

    expect([tracker.meanExchangeMs('idle'), tracker.meanExchangeMs('busy')]).to.deep.equal([250, 750]);
  });

  it('evicts the webhooks whose last exchange is oldest if there are many', async () => {
    const { tracker, exchange } = trackerAt(1_000_000, 10);
    await exchange('wh_idle', 1000);
    for (let index = 0; index < 20; index += 1) {
      await exchange('wh_busy', 1000);
      await exchange(`wh_${index}`, 1000);
    }

    const means = ['wh_idle', 'wh_0', 'wh_19', 'wh_busy'].map(tracker.meanExchangeMs);
    expect(means.map((mean) => mean === 250)).to.deep.equal([true, true, false, false]);
  });

  it('recognizes a webhook as slow one second after the start of an exchange that does not end', async () => {
    const { tracker, pass } = trackerAt();
    const judged: string[] = [];
    tracker.onJudged((webhookId) => judged.push(webhookId));
    void tracker.timed('wh_1', () => new Promise(() => null));
    pass(1_000);
    await eventually('a judgment', () => (judged.length > 0 ? true : null));

    expect(tracker.latencyClassOf('wh_1', Infinity)).to.equal('slow');
  });

  it('does not classify a webhook as fast if its last quick exchange is older than requested', async () => {
    const { tracker, pass, exchange } = trackerAt();
    await exchange('wh_1', 10);
    pass(2_000);

    expect([1_000, 3_000].map((ms) => tracker.latencyClassOf('wh_1', ms))).to.deep.equal(['unknown', 'fast']);
  });
});
