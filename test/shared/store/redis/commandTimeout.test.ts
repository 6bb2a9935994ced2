import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { withCommandTimeout } from '../../../../shared/store/redis/redisGuard.js';
import { testStack } from '../../../support/stack.js';
import { openRedis } from './connections.js';

const never = new Promise<object>(() => undefined);

describe('withCommandTimeout', () => {
  it('returns the result of the work', async () => {
    const answer = {};
    expect(await withCommandTimeout(Promise.resolve(answer), 1000)).to.equal(answer);
  });

  it('returns the error of the work', async () => {
    const failure = new Error('away');
    expect(await withCommandTimeout(Promise.reject(failure), 1000)).to.equal(failure);
  });

  it('returns an error if there is no answer within the limit', async () => {
    expect(await withCommandTimeout(never, 20)).to.be.instanceOf(Error);
  });

  it('waits as long as the limit', async () => {
    const begin = performance.now();
    await withCommandTimeout(never, 50);
    expect(performance.now() - begin).to.be.greaterThan(48);
  });

  it('accepts an answer that arrived in time while this process was too busy to read it', async () => {
    const { redis: address } = await testStack();
    const redis = await openRedis(address.url);
    // The answer arrives once nothing was pushed for so many seconds: neither at once nor late.
    const answering = withCommandTimeout(
      redis.client.blpop('nothing', 0.02).then((popped) => ({ popped })),
      300,
    );
    // After this the time runs, and Node runs timers next.
    await endOfTurn();
    const end = performance.now() + 600;
    while (performance.now() < end);
    const answer = await answering;
    redis.close();
    expect(answer).to.deep.equal({ popped: null });
  });
});
