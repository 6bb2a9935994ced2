import { expect } from 'chai';

import type { Webhook } from '../../../dashboard/api/types.js';
import { createWebhookLookups, type KnownById } from '../../../dashboard/webhooks/webhookLookups.js';

const freshMs = 30_000;

/** Lookups whose reads end when the test says so. */
function startLookups() {
  let now = 0;
  let known: KnownById = new Map();
  const open: {
    readonly id: string;
    readonly end: (webhook: Webhook | null) => void;
    readonly fail: () => void;
  }[] = [];
  const started: string[] = [];
  const lookups = createWebhookLookups({
    read: (id) =>
      new Promise((resolve, reject) => {
        started.push(id);
        open.push({
          id,
          end: resolve,
          fail: () => {
            reject(new Error('unavailable'));
          },
        });
      }),
    now: () => now,
    onKnown: (changed) => {
      known = changed;
    },
  });
  return {
    lookups,
    started,
    known: () => [...known.keys()],
    pass: (ms: number) => {
      now += ms;
    },
    /** Ends the oldest read, and waits until the lookups have noticed. */
    endFirst: async (how: 'end' | 'fail' = 'end') => {
      const first = open.shift();
      if (how === 'fail') {
        first?.fail();
      } else {
        first?.end(null);
      }
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
    },
  };
}

describe('the lookups of webhooks by id', () => {
  it('run two at a time, in the order in which they were wanted', async () => {
    const { lookups, started, endFirst } = startLookups();
    ['wh_1', 'wh_2', 'wh_3', 'wh_4'].forEach(lookups.want);
    const atFirst = [...started];
    await endFirst();
    expect([atFirst, started]).to.deep.equal([
      ['wh_1', 'wh_2'],
      ['wh_1', 'wh_2', 'wh_3'],
    ]);
  });

  it('read a webhook once while it is fresh, and again afterwards', async () => {
    const { lookups, started, pass, endFirst } = startLookups();
    lookups.want('wh_1');
    lookups.want('wh_1');
    await endFirst();
    pass(freshMs - 1);
    lookups.want('wh_1');
    const whileFresh = started.length;
    pass(1);
    lookups.want('wh_1');
    expect([whileFresh, started.length]).to.deep.equal([1, 2]);
  });

  it('read a webhook again after it has expired, and keep it known until then', async () => {
    const { lookups, started, known, endFirst } = startLookups();
    lookups.want('wh_1');
    await endFirst();
    lookups.expire();
    lookups.want('wh_1');
    expect([started.length, known()]).to.deep.equal([2, ['wh_1']]);
  });

  it('retry a failed read when the webhook is wanted again', async () => {
    const { lookups, started, known, endFirst } = startLookups();
    lookups.want('wh_1');
    await endFirst('fail');
    const after = known();
    lookups.want('wh_1');
    expect([after, started.length]).to.deep.equal([[], 2]);
  });

  it('know at most 1,000 webhooks, and drop the webhook that was read first', async () => {
    const { lookups, known, endFirst } = startLookups();
    Array.from({ length: 1001 }, (_, number) => `wh_${number}`).forEach(lookups.want);
    for (let read = 0; read <= 1000; read += 1) {
      await endFirst();
    }
    expect([known().length, known()[0], known().at(-1)]).to.deep.equal([1000, 'wh_1', 'wh_1000']);
  });

  it('start no read after they were closed', async () => {
    const { lookups, started, endFirst } = startLookups();
    ['wh_1', 'wh_2', 'wh_3'].forEach(lookups.want);
    lookups.close();
    await endFirst();
    expect(started).to.deep.equal(['wh_1', 'wh_2']);
  });
});
