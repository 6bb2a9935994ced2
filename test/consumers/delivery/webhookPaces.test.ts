import { expect } from 'chai';

import { createWebhookPaces } from '../../../consumers/delivery/webhookPaces.js';

/** Paces under a clock that stands still but for what is told. */
function pacesAt(start = 1_000_000) {
  let time = start;
  let busyMs = 0;
  const paces = createWebhookPaces({ now: () => time, idleMs: () => time - busyMs });
  return {
    paces,
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
    work: (milliseconds: number) => {
      time += milliseconds;
      busyMs += milliseconds;
    },
    /** @param ofItBusyMs how much of its time this process had something else to do */
    exchange: (webhookId: string, durationMs: number, ofItBusyMs = 0) =>
      paces.timed(webhookId, () => {
        time += durationMs;
        busyMs += ofItBusyMs;
        return Promise.resolve('answer');
      }),
  };
}

const slotRequest = { intervalMs: 1000, isReturn: false };

describe('webhook paces', () => {
  it('give what the exchange gives', async () => {
    expect(await pacesAt().exchange('wh_1', 10)).to.equal('answer');
  });

  it('know each webhook by itself', async () => {
    const { paces, exchange } = pacesAt();
    await exchange('wh_1', 10_000);

    expect([paces.meanExchangeMs('wh_1'), paces.meanExchangeMs('wh_2')]).to.deep.equal([5125, 250]);
  });

  it('count an exchange for as long as this process had nothing else to do', async () => {
    const { paces, exchange } = pacesAt();
    await exchange('wh_1', 1_900, 1_850);

    expect(paces.meanExchangeMs('wh_1')).to.equal(150);
  });

  it('know a webhook for slow also where this process is busy', async () => {
    const { paces, exchange } = pacesAt();
    await exchange('wh_1', 10_000, 10_000);

    expect(paces.meanExchangeMs('wh_1')).to.equal(4_125);
  });

  it('count an exchange that throws', async () => {
    const { paces, pass } = pacesAt();
    await paces
      .timed('wh_1', () => {
        pass(750);
        return Promise.reject(new Error('away'));
      })
      .catch(String);

    expect(paces.meanExchangeMs('wh_1')).to.equal(500);
  });

  it('know a webhook for slow while it answers nothing', () => {
    const { paces, pass } = pacesAt();
    void paces.timed('wh_1', () => new Promise(() => null));
    pass(4_000);

    expect(paces.meanExchangeMs('wh_1')).to.equal(4_000);
  });

  it('do not take a webhook for slow while this process has other things to do', () => {
    const { paces, work } = pacesAt();
    void paces.timed('wh_1', () => new Promise(() => null));
    work(1_950);

    expect(paces.meanExchangeMs('wh_1')).to.equal(250);
  });

  it('give each pair of a webhook the next slot', () => {
    const { paces } = pacesAt();
    const waits = Array.from({ length: 8 }, () => paces.untilSlotMs('wh_1', slotRequest));

    expect(waits).to.deep.equal([5000, 5000, 5000, 5000, 5000, 6000, 7000, 8000]);
  });

  it('give slots of one webhook whatever another one has taken', () => {
    const { paces } = pacesAt();
    Array.from({ length: 100 }, () => paces.untilSlotMs('wh_1', slotRequest));

    expect(paces.untilSlotMs('wh_2', slotRequest)).to.equal(5000);
  });

  it('forget what was idle for long, and no more than that', async () => {
    const { paces, pass, exchange } = pacesAt();
    await exchange('idle', 1000);
    pass(11 * 60_000);
    await exchange('busy', 1000);
    for (let index = 0; index < 1000; index += 1) {
      await exchange(`other ${index}`, 0);
    }

    expect([paces.meanExchangeMs('idle'), paces.meanExchangeMs('busy')]).to.deep.equal([250, 625]);
  });

  it('remember the slots of a webhook for as long as they lie ahead', async () => {
    const { paces, pass, exchange } = pacesAt();
    Array.from({ length: 1200 }, () => paces.untilSlotMs('idle', slotRequest));
    pass(11 * 60_000);
    for (let index = 0; index < 1000; index += 1) {
      await exchange(`other ${index}`, 0);
    }

    expect(paces.untilSlotMs('idle', slotRequest)).to.equal((1201 - 11 * 60) * 1000);
  });
});
