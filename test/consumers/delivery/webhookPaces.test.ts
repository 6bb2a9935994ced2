import { expect } from 'chai';

import { createWebhookPaces } from '../../../consumers/delivery/webhookPaces.js';

/** Paces under a clock that stands still but for what is told. */
function pacesAt(start = 1_000_000) {
  let time = start;
  const paces = createWebhookPaces(() => time);
  return {
    paces,
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
    exchange: (webhookId: string, durationMs: number) =>
      paces.timed(webhookId, () => {
        time += durationMs;
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
