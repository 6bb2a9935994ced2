import { expect } from 'chai';

import { createLatencyTracker } from '../../../consumers/latency/latencyTracker.js';
import { eventually } from '../../support/eventually.js';

/** A tracker under a clock that stands still but for what is told. */
function trackerAt(start = 1_000_000) {
  let time = start;
  let busyMs = 0;
  const tracker = createLatencyTracker({ now: () => time, idleMs: () => time - busyMs });
  return {
    tracker,
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
    work: (milliseconds: number) => {
      time += milliseconds;
      busyMs += milliseconds;
    },
    /** @param ofItBusyMs how much of its time this process had something else to do */
    exchange: (webhookId: string, durationMs: number, ofItBusyMs = 0) =>
      tracker.timed(webhookId, () => {
        time += durationMs;
        busyMs += ofItBusyMs;
        return Promise.resolve('answer');
      }),
  };
}

describe('latency tracker', () => {
  it('give what the exchange gives', async () => {
    expect(await trackerAt().exchange('wh_1', 10)).to.equal('answer');
  });

  it('know each webhook by itself', async () => {
    const { tracker, exchange } = trackerAt();
    await exchange('wh_1', 10_000);

    expect([tracker.meanExchangeMs('wh_1'), tracker.meanExchangeMs('wh_2')]).to.deep.equal([5125, 250]);
  });

  it('count an exchange for as long as this process had nothing else to do', async () => {
    const { tracker, exchange } = trackerAt();
    await exchange('wh_1', 1_900, 1_850);

    expect(tracker.meanExchangeMs('wh_1')).to.equal(150);
  });

  it('know a webhook for slow also where this process is busy', async () => {
    const { tracker, exchange } = trackerAt();
    await exchange('wh_1', 10_000, 10_000);

    expect(tracker.meanExchangeMs('wh_1')).to.equal(4_125);
  });

  it('count an exchange that throws', async () => {
    const { tracker, pass } = trackerAt();
    await tracker
      .timed('wh_1', () => {
        pass(750);
        return Promise.reject(new Error('away'));
      })
      .catch(String);

    expect(tracker.meanExchangeMs('wh_1')).to.equal(500);
  });

  it('know a webhook for slow while it answers nothing', () => {
    const { tracker, pass } = trackerAt();
    void tracker.timed('wh_1', () => new Promise(() => null));
    pass(4_000);

    expect(tracker.meanExchangeMs('wh_1')).to.equal(4_000);
  });

  it('do not take a webhook for slow while this process has other things to do', () => {
    const { tracker, work } = trackerAt();
    void tracker.timed('wh_1', () => new Promise(() => null));
    work(1_950);

    expect(tracker.meanExchangeMs('wh_1')).to.equal(250);
  });

  it('forget what was idle for long, and no more than that', async () => {
    const { tracker, pass, exchange } = trackerAt();
    await exchange('idle', 1000);
    pass(11 * 60_000);
    await exchange('busy', 1000);
    for (let index = 0; index < 1000; index += 1) {
      await exchange(`other ${index}`, 0);
    }

    expect([tracker.meanExchangeMs('idle'), tracker.meanExchangeMs('busy')]).to.deep.equal([250, 625]);
  });

  it('know a webhook for slow a second after an exchange has begun that does not end', async () => {
    const { tracker, pass } = trackerAt();
    const judged: string[] = [];
    tracker.onJudged((webhookId) => judged.push(webhookId));
    void tracker.timed('wh_1', () => new Promise(() => null));
    pass(1_000);
    await eventually('a judgement', () => (judged.length > 0 ? true : null));

    expect(tracker.latencyClassOf('wh_1', Infinity)).to.equal('slow');
  });

  it('do not know a webhook for fast that has not answered for longer than is asked for', async () => {
    const { tracker, pass, exchange } = trackerAt();
    await exchange('wh_1', 10);
    pass(2_000);

    expect([1_000, 3_000].map((ms) => tracker.latencyClassOf('wh_1', ms))).to.deep.equal(['unknown', 'fast']);
  });
});
