import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { createAttemptSlots } from '../../../consumers/fairness/attemptSlots.js';
import { noTenant } from '../../../consumers/fairness/fairQueue.js';
import { slotSettings } from '../../../consumers/fairness/slotPools.js';
import type { AttemptOrigin } from '../../../consumers/latency/attemptClasses.js';
import { createLatencyTracker } from '../../../consumers/latency/latencyTracker.js';
import { eventually } from '../../support/eventually.js';

interface RunningAttempt {
  readonly name: string;
  readonly end: (error?: Error) => void;
}

const claim = { accountId: 'acct_1', tenant: noTenant, webhookId: 'wh_1', origin: 'first' } as const;
const replayed = { ...claim, origin: 'replay' } as const;

/** Ends the waits of a test, because their timers would keep the process alive. */
let testEnd = new AbortController();
afterEach(() => {
  testEnd.abort();
  testEnd = new AbortController();
});

/** Slots, and attempts that take up to a second of a simulated clock until they are ended. */
function slotsOf(webhookConcurrency: number, attemptSlots = 1000) {
  let time = 0;
  const tracker = createLatencyTracker({ now: () => time, idleMs: () => time });
  const slots = createAttemptSlots({
    ...{ webhookConcurrency, tracker, slots: slotSettings(attemptSlots), now: () => time },
  });
  const { signal: ownSignal } = testEnd;
  const inFlight = new Map<string, RunningAttempt>();
  const started: string[] = [];
  const attempt = (name: string) =>
    new Promise<string>((resolve, reject) => {
      started.push(name);
      const end = (error?: Error) => {
        inFlight.delete(name);
        if (error === undefined) {
          resolve(name);
        } else {
          reject(error);
        }
      };
      inFlight.set(name, { name, end });
    });
  const runFrom =
    (origin: AttemptOrigin) =>
    async (webhookId: string, name: string, signal = ownSignal): Promise<string | null> => {
      const claim = { ...{ accountId: `account of ${webhookId}`, tenant: noTenant }, webhookId, origin };
      const slot = await slots.take(claim, signal);
      if (typeof slot === 'string') {
        return null;
      }
      return tracker.timed(webhookId, () => attempt(name)).finally(slot.release);
    };
  return {
    slots,
    tracker,
    started,
    run: runFrom('first'),
    replay: runFrom('replay'),
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
    end: (name: string, error?: Error) => {
      inFlight.get(name)?.end(error);
      return endOfTurn();
    },
  };
}

describe('the attempt slots', () => {
  it('run attempts at once within the limit, and queue the others', async () => {
    const { started, run } = slotsOf(2);
    ['a', 'b', 'c'].forEach((name) => void run('wh_1', name));
    await endOfTurn();

    expect(started).to.deep.equal(['a', 'b']);
  });

  it('run waiting attempts in their order, one for each that ends', async () => {
    const { started, run, end } = slotsOf(2);
    ['a', 'b', 'c', 'd', 'e'].forEach((name) => void run('wh_1', name));
    await endOfTurn();
    await end('b');
    await end('a');

    expect(started).to.deep.equal(['a', 'b', 'c', 'd']);
  });

  it('are available to other webhooks while one webhook hangs', async () => {
    const { started, run } = slotsOf(1);
    void run('wh_1', 'a');
    void run('wh_1', 'b');
    void run('wh_2', 'c');
    await endOfTurn();

    expect(started).to.deep.equal(['a', 'c']);
  });

  it('are freed when an attempt throws', async () => {
    const { started, run, end } = slotsOf(1);
    const failing = run('wh_1', 'a').catch(String);
    void run('wh_1', 'b');
    await endOfTurn();
    await end('a', new Error('away'));
    await failing;

    expect(started).to.deep.equal(['a', 'b']);
  });

  it('abandon a waiting attempt when its signal is aborted', async () => {
    const { run } = slotsOf(1);
    const lost = new AbortController();
    void run('wh_1', 'a');
    const waiting = run('wh_1', 'b', lost.signal);
    lost.abort();

    expect(await waiting).to.equal(null);
  });

  it('run the other waiting attempts when the signal of some is aborted', async () => {
    const { started, run, end } = slotsOf(1);
    const lost = new AbortController();
    void run('wh_1', 'a');
    void run('wh_1', 'b', lost.signal);
    void run('wh_1', 'c');
    await endOfTurn();
    lost.abort();
    await end('a');

    expect(started).to.deep.equal(['a', 'c']);
  });

  it('let a running attempt finish when its signal is aborted', async () => {
    const { run, end } = slotsOf(1);
    const lost = new AbortController();
    const running = run('wh_1', 'a', lost.signal);
    await endOfTurn();
    lost.abort();
    await end('a');

    expect(await running).to.equal('a');
  });

  it('run no attempt whose signal is already aborted', async () => {
    const { started, run } = slotsOf(1);

    expect([await run('wh_1', 'a', AbortSignal.abort()), started]).to.deep.equal([null, []]);
  });

  it('report the waiting attempts and the attempts in flight of a webhook', async () => {
    const { slots, run } = slotsOf(2);
    ['a', 'b', 'c', 'd', 'e'].forEach((name) => void run('wh_1', name));
    void run('wh_2', 'f');
    await endOfTurn();

    expect(slots.loadBefore(claim).webhook).to.deep.equal({
      waiting: 3,
      inFlight: 2,
    });
  });

  it('run attempts of a replay when no other attempt waits for the webhook', async () => {
    const { started, run, replay, end } = slotsOf(1);
    void run('wh_1', 'a');
    void replay('wh_1', 'replay 1');
    void replay('wh_1', 'replay 2');
    void run('wh_1', 'b');
    await endOfTurn();
    await end('a');
    await end('b');
    await end('replay 1');

    expect(started).to.deep.equal(['a', 'b', 'replay 1', 'replay 2']);
  });

  it('count attempts of a replay only before an attempt of a replay', async () => {
    const { slots, run, replay } = slotsOf(1);
    ['a', 'b'].forEach((name) => void run('wh_1', name));
    ['c', 'd', 'e'].forEach((name) => void replay('wh_1', name));
    await endOfTurn();

    expect([slots.loadBefore(claim).webhook, slots.loadBefore(replayed).webhook]).to.deep.equal([
      { waiting: 1, inFlight: 1 },
      { waiting: 4, inFlight: 1 },
    ]);
  });

  it('abandon a waiting attempt of a replay when its signal is aborted', async () => {
    const { slots, run, replay } = slotsOf(1);
    const stopping = new AbortController();
    void run('wh_1', 'a');
    const waiting = replay('wh_1', 'b', stopping.signal);
    stopping.abort();

    expect([await waiting, slots.loadBefore(replayed).webhook]).to.deep.equal([
      null,
      { waiting: 0, inFlight: 1 },
    ]);
  });
});

describe('the attempt slots of a process whose webhooks hang', () => {
  /** A webhook whose exchanges end at once. */
  const prove = async ({ run, end }: ReturnType<typeof slotsOf>, webhookId: string) => {
    void run(webhookId, `proof of ${webhookId}`);
    await endOfTurn();
    await end(`proof of ${webhookId}`);
  };

  it('are free for a fast webhook, no matter how many unknown webhooks hang', async () => {
    const all = slotsOf(25);
    await prove(all, 'healthy');
    for (let webhook = 0; webhook < 1500; webhook += 1) {
      void all.run(`hanging ${webhook}`, `hanging ${webhook}`);
    }
    void all.run('healthy', 'prompt');
    await endOfTurn();

    expect(all.started.at(-1)).to.equal('prompt');
  });

  it('are free for further unknown webhooks when the exchanges of the first ones are slow', async () => {
    const all = slotsOf(25, 40);
    for (let webhook = 0; webhook < 20; webhook += 1) {
      void all.run(`wh_${webhook}`, `attempt ${webhook}`);
    }
    await endOfTurn();
    const before = all.started.length;
    all.pass(1000);
    await eventually('further attempts', () => (all.started.length > before ? true : null));

    expect(before).to.be.below(20);
  });

  it('are free for the other exchanges of a fast webhook while one in a hundred hangs', async () => {
    const all = slotsOf(25, 40);
    await prove(all, 'wh_0');
    void all.run('wh_0', 'hangs');
    await endOfTurn();
    all.pass(1000);
    await eventually('a judgment', () => {
      const { name, inFlight } = all.slots.loadBefore({ ...claim, webhookId: 'wh_0' }).latencyClass;
      return name === 'unknown' && inFlight === 0 ? true : null;
    });
    await prove(all, 'wh_0');

    expect(all.slots.loadBefore({ ...claim, webhookId: 'wh_0' }).latencyClass).to.deep.include({
      name: 'fast',
      inFlight: 0,
    });
  });
});
