import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { limitConcurrency } from '../../consumers/replayConsumer.js';

/** A function with at most two calls at once. Each call runs until the test ends it. */
function limitedWork() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run = limitConcurrency(2, (name: string) => {
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

describe('a function with limited concurrency', () => {
  it('runs no more calls at once than the limit', async () => {
    const { started, run } = limitedWork();
    ['a', 'b', 'c'].forEach((name) => void run(name));
    await endOfTurn();

    expect(started).to.deep.equal(['a', 'b']);
  });

  it('starts waiting calls in their order when others end', async () => {
    const { started, run, end } = limitedWork();
    ['a', 'b', 'c', 'd'].forEach((name) => void run(name));
    await end('b');
    await end('a');

    expect(started).to.deep.equal(['a', 'b', 'c', 'd']);
  });

  it('starts a waiting call when a call fails', async () => {
    const { started, run, end } = limitedWork();
    const failing = run('bad').catch(() => 'failed');
    ['a', 'b'].forEach((name) => void run(name));
    await end('bad');

    expect([await failing, started]).to.deep.equal(['failed', ['bad', 'a', 'b']]);
  });

  it('returns the result of the call', async () => {
    const { run, end } = limitedWork();
    const running = run('a');
    await end('a');

    expect(await running).to.equal('a');
  });
});
