import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { createTurns } from '../../consumers/replayConsumer.js';

/** Turns with at most two pieces of work at once. Each piece runs until the test ends it. */
function limitedWork() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const runInTurn = createTurns(2);
  const run = (name: string, accountId = 'acct_1', tenancy: string | null = null) =>
    runInTurn({ accountId, tenancy }, () => {
      started.push(name);
      return new Promise<string>((resolve, reject) => {
        ends.set(name, () => {
          if (name === 'bad') {
            reject(new Error('failed'));
          } else {
            resolve(name);
          }
        });
      });
    });
  const end = async (name: string) => {
    await endOfTurn();
    ends.get(name)?.();
    await endOfTurn();
  };
  return { started, run, end };
}

describe('the turns of the replays of a process', () => {
  it('run no more work at once than the limit', async () => {
    const { started, run } = limitedWork();
    ['a', 'b', 'c'].forEach((name) => void run(name));
    await endOfTurn();

    expect(started).to.deep.equal(['a', 'b']);
  });

  it('start the waiting work of a tenant in its order when other work ends', async () => {
    const { started, run, end } = limitedWork();
    ['a', 'b', 'c', 'd'].forEach((name) => void run(name));
    await end('b');
    await end('a');

    expect(started).to.deep.equal(['a', 'b', 'c', 'd']);
  });

  it('alternate among accounts, and among the tenants of an account', async () => {
    const { started, run, end } = limitedWork();
    ['a', 'b', 'acme 1', 'acme 2'].forEach((name) => void run(name, 'acct_1', 'acme'));
    void run('globex', 'acct_1', 'globex');
    void run('other', 'acct_2');
    for (const name of ['a', 'b', 'acme 1', 'other']) {
      await end(name);
    }

    expect(started).to.deep.equal(['a', 'b', 'acme 1', 'other', 'globex', 'acme 2']);
  });

  it('start waiting work when work fails', async () => {
    const { started, run, end } = limitedWork();
    const failing = run('bad').catch(() => 'failed');
    ['a', 'b'].forEach((name) => void run(name));
    await end('bad');

    expect([await failing, started]).to.deep.equal(['failed', ['bad', 'a', 'b']]);
  });

  it('return the result of the work', async () => {
    const { run, end } = limitedWork();
    const running = run('a');
    await end('a');

    expect(await running).to.equal('a');
  });
});
