import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { limitConcurrency } from '../../../consumers/sources/limitConcurrency.js';

/** Work, two pieces at once, that goes on until it is told. */
function limitedWork() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = limitConcurrency(2, (name: string) => {
    begun.push(name);
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
  return { begun, run, end };
}

describe('limited', () => {
  it('begins no more than so many at once', async () => {
    const { begun, run } = limitedWork();
    ['a', 'b', 'c'].forEach((name) => void run(name));
    await endOfTurn();

    expect(begun).to.deep.equal(['a', 'b']);
  });

  it('begins the others in their order, as turns become free', async () => {
    const { begun, run, end } = limitedWork();
    ['a', 'b', 'c', 'd'].forEach((name) => void run(name));
    await end('b');
    await end('a');

    expect(begun).to.deep.equal(['a', 'b', 'c', 'd']);
  });

  it('gives a turn back that has failed', async () => {
    const { begun, run, end } = limitedWork();
    const failing = run('bad').catch(() => 'failed');
    ['a', 'b'].forEach((name) => void run(name));
    await end('bad');

    expect([await failing, begun]).to.deep.equal(['failed', ['bad', 'a', 'b']]);
  });

  it('gives what the work gives', async () => {
    const { run, end } = limitedWork();
    const running = run('a');
    await end('a');

    expect(await running).to.equal('a');
  });
});
