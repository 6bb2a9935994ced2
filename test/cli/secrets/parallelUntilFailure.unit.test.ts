import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { parallelUntilFailure } from '../../../cli/secrets/reencryptSecrets.js';

const items = [1, 2, 3, 4, 5, 6];

describe('the concurrent work on secrets', () => {
  it('handles all items, a limited number of them at once', async () => {
    let inFlight = 0;
    let most = 0;
    const double = async (item: number) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await endOfTurn();
      inFlight -= 1;
      return item * 2;
    };
    const results = await parallelUntilFailure(items, double, {
      concurrency: 2,
      onProgress: () => undefined,
    });
    expect([most, results.toSorted((one, other) => one - other)]).to.deep.equal([2, [2, 4, 6, 8, 10, 12]]);
  });

  it('reports its progress', async () => {
    const told: string[] = [];
    const onProgress = (done: number, total: number) => told.push(`${done}/${total}`);
    await parallelUntilFailure([1, 2], (item) => Promise.resolve(item), { concurrency: 1, onProgress });
    expect(told).to.deep.equal(['0/2', '1/2', '2/2']);
  });

  it('begins no further item after a failure, which it throws', async () => {
    const begun: number[] = [];
    const failOnSecond = async (item: number) => {
      begun.push(item);
      await endOfTurn();
      if (item === 2) {
        throw new Error('failed');
      }
    };
    const failure = await parallelUntilFailure(items, failOnSecond, {
      concurrency: 2,
      onProgress: () => undefined,
    }).catch(String);
    expect([failure, begun.length < items.length]).to.deep.equal(['Error: failed', true]);
  });
});
