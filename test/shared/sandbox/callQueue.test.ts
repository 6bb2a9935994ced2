import { expect } from 'chai';

import { createCallQueue, type SharePath } from '../../../shared/sandbox/callQueue.js';
import { UnavailableError } from '../../../shared/core/errors.js';

const limits = { slots: 1, maximumWaiting: 64, maximumWaitMs: 10_000 };

/** Work that ends when the test says so. */
function createGate(): { readonly work: () => Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    work: () => opened,
    open: () => {
      open();
    },
  };
}

function busyFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('the queue of the sandbox', () => {
  it('serves accounts, tenants and webhooks in turn, the one with the least used time first', async () => {
    let time = 0;
    const queue = createCallQueue({ ...limits, now: () => time });
    const gate = createGate();
    const order: string[] = [];
    const run = (path: SharePath, ms: number) =>
      queue.run(path, () => {
        order.push(path.join());
        time += ms;
        return Promise.resolve();
      });
    const blocked = queue.run(['x', '', 'w'], gate.work);
    const calls = [
      ...Array.from({ length: 4 }, () => run(['a', 's', 'w'], 6)),
      run(['a', 't', 'w'], 1),
      ...Array.from({ length: 4 }, () => run(['b', '', 'w'], 1)),
    ];
    gate.open();
    await Promise.all([blocked, ...calls]);
    expect(order.slice(0, 3)).to.deep.equal(['a,s,w', 'b,,w', 'b,,w']);
    // Account `b` uses less time than account `a`, so all of its calls come before the second costly call.
    expect(order.slice(0, 6).filter((path) => path === 'b,,w')).to.have.lengthOf(4);
    expect(order.indexOf('a,t,w')).to.be.below(order.lastIndexOf('a,s,w'));
  });

  it('rejects calls of an account that fills the queue, and has room for other accounts', async () => {
    const queue = createCallQueue(limits);
    const gate = createGate();
    const blocked = queue.run(['x', '', 'w'], gate.work);
    const one = Array.from({ length: 100 }, (_, index) =>
      queue.run(['a', `t${String(index % 2)}`, `w${String(index)}`], () => Promise.resolve()),
    );
    const other = queue.run(['b', 't', 'w'], () => Promise.resolve('served'));
    gate.open();
    await blocked;
    const results = await Promise.allSettled(one);
    const rejected = results.filter(({ status }) => status === 'rejected');
    expect(rejected.length).to.be.within(64, 80);
    expect(rejected[0]).to.have.property('reason').that.is.instanceOf(UnavailableError);
    expect(await other).to.equal('served');
  });

  it('rejects a call that has waited too long, and continues with the others', async () => {
    const queue = createCallQueue({ ...limits, maximumWaitMs: 30 });
    const gate = createGate();
    const blocked = queue.run(['x', '', 'w'], gate.work);
    const error: unknown = await queue.run(['a', '', 'w'], gate.work).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(UnavailableError);
    gate.open();
    await blocked;
    expect(await queue.run(['a', '', 'w'], () => Promise.resolve('served'))).to.equal('served');
  });

  it('starts background calls after all others, and lets them use a quarter of the thread', async () => {
    const queue = createCallQueue(limits);
    const gate = createGate();
    const order: string[] = [];
    const starts: number[] = [];
    const run = (name: string, ms: number, isBackground: boolean) =>
      queue.run(
        ['a', '', name],
        () => {
          order.push(name);
          starts.push(performance.now());
          busyFor(ms);
          return Promise.resolve();
        },
        { isBackground },
      );
    const blocked = queue.run(['x', '', 'w'], gate.work);
    const calls = [
      run('costly', 20, true),
      run('costly', 20, true),
      run('one', 0, false),
      run('two', 0, false),
    ];
    gate.open();
    await Promise.all([blocked, ...calls]);
    expect(order).to.deep.equal(['one', 'two', 'costly', 'costly']);
    expect((starts[3] ?? 0) - (starts[2] ?? 0)).to.be.at.least(80);
  });
});
