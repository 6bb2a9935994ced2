import { expect } from 'chai';

import { createWorkerQueue, type WorkerClock } from '../../../../api/eventTypes/worker/workerQueue.js';
import { UnavailableError } from '../../../../shared/core/errors.js';

/** A clock that a test advances. */
function createTestClock() {
  let time = 0;
  const timers = new Set<{ readonly at: number; readonly call: () => void }>();
  const clock: WorkerClock = {
    now: () => time,
    after: (ms, call) => {
      const timer = { at: time + ms, call };
      timers.add(timer);
      return () => {
        timers.delete(timer);
      };
    },
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const advance = async (ms: number) => {
    const end = time + ms;
    for (;;) {
      await turn();
      const [next] = [...timers].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at);
      if (next === undefined) {
        break;
      }
      timers.delete(next);
      time = Math.max(time, next.at);
      next.call();
    }
    time = end;
    await turn();
  };
  return { clock, advance, pause: (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve)) };
}

describe('the queue of a worker', () => {
  it('gives an account at most 20 % of the time, and other accounts wait for one job at most', async () => {
    const { clock, advance, pause } = createTestClock();
    const queue = createWorkerQueue(clock);
    const done: string[] = [];
    const add = (account: string, ms: number) =>
      queue
        .run(account, () => pause(ms), { maximumWaitMs: 100_000 })
        .then(() => done.push(`${account}@${String(clock.now())}`));
    const all = [add('greedy', 100), add('greedy', 100), add('greedy', 100), add('other', 10)];
    await advance(5000);
    await Promise.all(all);
    expect(done).to.deep.equal(['greedy@100', 'other@110', 'greedy@600', 'greedy@1100']);
  });

  it('gives an account with costly jobs at most 5 % of the time, with pauses of at most a second', async () => {
    const { clock, advance, pause } = createTestClock();
    const queue = createWorkerQueue(clock);
    const done: number[] = [];
    const add = (ms: number) =>
      queue
        .run('greedy', () => pause(ms), { isCostly: true, maximumWaitMs: 100_000 })
        .then(() => done.push(clock.now()));
    const all = [add(20), add(50), add(100), add(100)];
    await advance(5000);
    await Promise.all(all);
    expect(done).to.deep.equal([20, 450, 1500, 2600]);
  });

  it('starts jobs outside the share without a pause, and after them other jobs without a pause', async () => {
    const { clock, advance, pause } = createTestClock();
    const queue = createWorkerQueue(clock);
    const done: string[] = [];
    const add = (name: string, isOutsideShare: boolean) =>
      queue
        .run('one', () => pause(100), { isOutsideShare })
        .then(() => done.push(`${name}@${String(clock.now())}`));
    const all = [add('share', false), add('share', false), add('outside', true), add('outside', true)];
    await advance(2000);
    await Promise.all(all);
    expect(done).to.deep.equal(['share@100', 'outside@200', 'outside@300', 'share@600']);
    await advance(1000);
    const [outside, inside] = [add('outside', true), add('share', false)];
    await advance(200);
    await Promise.all([outside, inside]);
    expect(done.slice(4)).to.deep.equal(['outside@3100', 'share@3200']);
  });

  it('gives accounts with jobs outside the share their turns', async () => {
    const { clock, advance, pause } = createTestClock();
    const queue = createWorkerQueue(clock);
    const done: string[] = [];
    const add = (account: string) =>
      queue.run(account, () => pause(100), { isOutsideShare: true }).then(() => done.push(account));
    const all = [add('many'), add('many'), add('many'), add('other')];
    await advance(1000);
    await Promise.all(all);
    expect(done).to.deep.equal(['many', 'many', 'other', 'many']);
  });

  it('rejects a job that cannot start in time, and the 101st waiting job of an account', async () => {
    const { clock, advance, pause } = createTestClock();
    const queue = createWorkerQueue(clock);
    const first = queue.run('one', () => pause(3000));
    const late = queue.run('two', () => pause(1)).catch((error: unknown) => error);
    const more = Array.from({ length: 101 }, () =>
      queue.run('one', () => pause(1)).catch((error: unknown) => error),
    );
    expect(await more[100]).to.be.instanceOf(UnavailableError);
    await advance(2000);
    expect(await late).to.be.instanceOf(UnavailableError);
    await advance(1000);
    await first;
    await Promise.all(more);
  });

  it('keeps room for an account with few jobs', async () => {
    const { clock, advance, pause } = createTestClock();
    const queue = createWorkerQueue(clock);
    const accounts = Array.from({ length: 4 }, (_, index) => `greedy${String(index)}`);
    const running = queue.run('first', () => pause(100));
    const greedy = accounts.flatMap((account) =>
      Array.from({ length: 100 }, () => queue.run(account, () => pause(1)).catch((error: unknown) => error)),
    );
    const other = queue.run('other', () => Promise.resolve('checked'));
    await advance(2500);
    await running;
    expect(await other).to.equal('checked');
    await Promise.all(greedy);
  });

  it('starts background jobs only if no other job can start', async () => {
    const { clock, advance, pause } = createTestClock();
    const queue = createWorkerQueue(clock);
    const done: string[] = [];
    const add = (name: string, isBackground: boolean) =>
      queue.run(name, () => pause(10), { isBackground }).then(() => done.push(name));
    const all = [add('first', false), add('dry run', true), add('event', false)];
    await advance(100);
    await Promise.all(all);
    expect(done).to.deep.equal(['first', 'event', 'dry run']);
  });
});
