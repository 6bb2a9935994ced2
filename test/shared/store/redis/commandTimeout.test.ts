import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { withCommandTimeout } from '../../../../shared/store/redis/commandTimeout.js';
import { testStack } from '../../../support/stack.js';
import { openRedis } from './connections.js';

const never = new Promise<object>(() => undefined);

describe('shared/redis/withCommandTimeout', () => {
  it('gives what the work resolves with', async () => {
    const answer = {};
    expect(await withCommandTimeout(Promise.resolve(answer), 1000)).to.equal(answer);
  });

  it('gives what the work fails with', async () => {
    const failure = new Error('away');
    expect(await withCommandTimeout(Promise.reject(failure), 1000)).to.equal(failure);
  });

  it('gives an error where there is no answer within the limit', async () => {
    expect(await withCommandTimeout(never, 20)).to.be.instanceOf(Error);
  });

  it('waits as long as the limit', async () => {
    const begin = performance.now();
    await withCommandTimeout(never, 50);
    expect(performance.now() - begin).to.be.greaterThan(48);
  });

  it('takes an answer that came in time, though this process was too busy to read it', async () => {
    const { redis: address } = await testStack();
    const redis = await openRedis(address.url);
    // The answer comes once nothing was pushed for so many seconds: neither at once nor late.
    const answering = withCommandTimeout(
      redis.client.blpop('nothing', 0.02).then((popped) => ({ popped })),
      300,
    );
    // Behind this the time runs, and the next thing that Node does is to run timers.
    await endOfTurn();
    const end = performance.now() + 600;
    while (performance.now() < end);
    const answer = await answering;
    redis.close();
    expect(answer).to.deep.equal({ popped: null });
  });
});
