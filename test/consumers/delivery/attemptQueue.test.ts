import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { createAttemptQueue } from '../../../consumers/delivery/attemptQueue.js';

interface RunningAttempt {
  readonly name: string;
  readonly end: (error?: Error) => void;
}

const never = new AbortController().signal;

/** A queue, and attempts in it that go on until they are told to end. */
function queueOf(webhookConcurrency: number, maximumInFlight = 100) {
  const queue = createAttemptQueue({ webhookConcurrency, maximumInFlight });
  const { signal: ownSignal } = new AbortController();
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
  return {
    queue,
    started,
    run: (webhookId: string, name: string, signal = ownSignal) =>
      queue.run({ accountId: `account of ${webhookId}`, webhookId }, signal, () => attempt(name)),
    replay: (webhookId: string, name: string, signal = ownSignal) =>
      queue.run({ accountId: `account of ${webhookId}`, webhookId, replayId: 'rpl_1' }, signal, () =>
        attempt(name),
      ),
    end: (name: string, error?: Error) => {
      inFlight.get(name)?.end(error);
      return endOfTurn();
    },
  };
}

describe('attempt queue', () => {
  it('runs at once what is within the limit, and lets the rest wait', async () => {
    const { started, run } = queueOf(2);
    ['a', 'b', 'c'].forEach((name) => void run('wh_1', name));
    await endOfTurn();

    expect(started).to.deep.equal(['a', 'b']);
  });

  it('gives what the attempt gives', async () => {
    const { queue } = queueOf(1);
    const owner = { accountId: 'acct_1', webhookId: 'wh_1' };

    expect(await queue.run(owner, never, () => Promise.resolve('outcome'))).to.equal('outcome');
  });

  it('runs what waits in its order, one for each that ends', async () => {
    const { started, run, end } = queueOf(2);
    ['a', 'b', 'c', 'd', 'e'].forEach((name) => void run('wh_1', name));
    await endOfTurn();
    await end('b');
    await end('a');

    expect(started).to.deep.equal(['a', 'b', 'c', 'd']);
  });

  it('does not let a webhook that hangs hold back another', async () => {
    const { started, run } = queueOf(1);
    void run('wh_1', 'a');
    void run('wh_1', 'b');
    void run('wh_2', 'c');
    await endOfTurn();

    expect(started).to.deep.equal(['a', 'c']);
  });

  it('frees the slot of an attempt that throws', async () => {
    const { started, run, end } = queueOf(1);
    const failing = run('wh_1', 'a').catch(String);
    void run('wh_1', 'b');
    await endOfTurn();
    await end('a', new Error('away'));
    await failing;

    expect(started).to.deep.equal(['a', 'b']);
  });

  it('passes the error of an attempt on to its caller', async () => {
    const error = new Error('away');
    const owner = { accountId: 'acct_1', webhookId: 'wh_1' };
    const failure = await queueOf(1)
      .queue.run(owner, never, () => Promise.reject(error))
      .catch((caught: unknown) => caught);

    expect(failure).to.equal(error);
  });

  it('gives up what waits when its signal comes', async () => {
    const { run } = queueOf(1);
    const lost = new AbortController();
    void run('wh_1', 'a');
    const waiting = run('wh_1', 'b', lost.signal);
    lost.abort();

    expect(await waiting).to.equal(null);
  });

  it('goes on with the others where the signal of some comes', async () => {
    const { started, run, end } = queueOf(1);
    const lost = new AbortController();
    void run('wh_1', 'a');
    void run('wh_1', 'b', lost.signal);
    void run('wh_1', 'c');
    await endOfTurn();
    lost.abort();
    await end('a');

    expect(started).to.deep.equal(['a', 'c']);
  });

  it('lets an attempt that has begun go on when its signal comes', async () => {
    const { run, end } = queueOf(1);
    const lost = new AbortController();
    const running = run('wh_1', 'a', lost.signal);
    await endOfTurn();
    lost.abort();
    await end('a');

    expect(await running).to.equal('a');
  });

  it('begins nothing whose signal has come before', async () => {
    const { started, run } = queueOf(1);

    expect([await run('wh_1', 'a', AbortSignal.abort()), started]).to.deep.equal([null, []]);
  });

  it('tells how many wait for a webhook and how many are in flight to it', async () => {
    const { queue, run } = queueOf(2);
    ['a', 'b', 'c', 'd', 'e'].forEach((name) => void run('wh_1', name));
    void run('wh_2', 'f');
    await endOfTurn();

    expect(queue.loadBefore({ accountId: 'acct_1', webhookId: 'wh_1' })).to.deep.equal({
      waiting: 3,
      inFlight: 2,
    });
  });

  it('begins those of a replay when nobody else waits for the webhook', async () => {
    const { started, run, replay, end } = queueOf(1);
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

  it('counts none of a replay before one that is not, and all before one that is', async () => {
    const { queue, run, replay } = queueOf(1);
    ['a', 'b'].forEach((name) => void run('wh_1', name));
    ['c', 'd', 'e'].forEach((name) => void replay('wh_1', name));
    await endOfTurn();
    const owner = { accountId: 'acct_1', webhookId: 'wh_1' };

    expect([queue.loadBefore(owner), queue.loadBefore({ ...owner, replayId: 'rpl_1' })]).to.deep.equal([
      { waiting: 1, inFlight: 1 },
      { waiting: 4, inFlight: 1 },
    ]);
  });

  it('lets one of a replay go whose signal comes while it waits', async () => {
    const { queue, run, replay } = queueOf(1);
    const stopping = new AbortController();
    void run('wh_1', 'a');
    const waiting = replay('wh_1', 'b', stopping.signal);
    stopping.abort();

    expect([
      await waiting,
      queue.loadBefore({ accountId: 'acct_1', webhookId: 'wh_1', replayId: 'rpl_1' }),
    ]).to.deep.equal([null, { waiting: 0, inFlight: 1 }]);
  });
});
