import { expect } from 'chai';

import type { RedisConnection } from '../../../../shared/store/redis/client.js';
import { count, createCounters } from '../../../../shared/store/redis/counters.js';
import { testStack } from '../../../support/stack.js';
import { openRedis } from './connections.js';

describe('The request counters', () => {
  let redis: RedisConnection;
  beforeEach(async () => {
    redis = await openRedis((await testStack()).redis.url);
  });
  afterEach(() => {
    redis.close();
  });

  it('are the same for the same limit', () => {
    const countersOf = createCounters(redis);
    expect(countersOf(10)).to.equal(countersOf(10));
  });

  it('are stored for at most 1,000 limits', () => {
    const countersOf = createCounters(redis);
    const first = countersOf(1);
    for (let limit = 2; limit <= 1001; limit += 1) {
      countersOf(limit);
    }
    expect(countersOf(1)).not.to.equal(first);
  });

  it('fail if Redis does, which is not a rejection', async () => {
    const { shared } = createCounters(redis)(10);
    redis.close();
    const failure: unknown = await count(shared, 'key').catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
  });
});
