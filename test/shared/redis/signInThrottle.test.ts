import { randomUUID } from 'node:crypto';

import { expect } from 'chai';

import type { RedisConnection } from '../../../shared/redis/client.js';
import { createSignInThrottle, type SignInThrottle } from '../../../shared/redis/signInThrottle.js';
import { eventually } from '../../support/eventually.js';
import { testStack } from '../../support/stack.js';
import { openRedis } from './connections.js';
import { startTestRedis } from './redisServer.js';

describe('shared/redis/signInThrottle', () => {
  let redis: RedisConnection;
  let throttle: SignInThrottle;
  before(async () => {
    redis = await openRedis((await testStack()).redis.url);
    throttle = createSignInThrottle(redis);
  });
  after(() => {
    redis.close();
  });

  const somebody = () => ({ email: `${randomUUID()}@example.com`, address: randomUUID() });
  const fail = async (times: number, attempt: ReturnType<typeof somebody>) => {
    const waits = await Promise.all(Array.from({ length: times }, () => throttle.attempt(attempt)));
    return waits.filter((wait) => wait !== null).length;
  };

  it('lets ten failures through, also where all come at once', async () => {
    expect(await fail(13, somebody())).to.equal(3);
  });

  it('says for how long no more come through, a quarter of an hour at most', async () => {
    const attempt = somebody();
    await fail(10, attempt);
    expect(await throttle.attempt(attempt)).to.be.within(890, 900);
  });

  it('counts by the address of the person, wherever attempts come from', async () => {
    const { email } = somebody();
    const waits = [];
    for (let count = 0; count < 11; count += 1) {
      waits.push(await throttle.attempt({ ...somebody(), email }));
    }
    expect([waits.slice(0, 10).every((wait) => wait === null), waits[10] === null]).to.deep.equal([
      true,
      false,
    ]);
  });

  it('counts by the network that attempts come from, whoever they are for', async () => {
    const { address } = somebody();
    const waits = [];
    for (let count = 0; count < 11; count += 1) {
      waits.push(await throttle.attempt({ ...somebody(), address }));
    }
    expect([waits.slice(0, 10).every((wait) => wait === null), waits[10] === null]).to.deep.equal([
      true,
      false,
    ]);
  });

  it('does not count what was no failure', async () => {
    const attempt = somebody();
    for (let count = 0; count < 30; count += 1) {
      await throttle.attempt(attempt);
      await throttle.forgive(attempt);
    }
    expect(await fail(11, attempt)).to.equal(1);
  });

  it('writes no address of a person into Redis', async () => {
    const attempt = somebody();
    await throttle.attempt(attempt);
    expect(await redis.client.keys(`*${attempt.email}*`)).to.deep.equal([]);
  });

  it('counts in this process while Redis is away', async () => {
    const server = await startTestRedis();
    const lost = await openRedis(server.url);
    try {
      await server.server.kill();
      await eventually('the end of the connection', () => (lost.isReady() ? null : true));
      const alone = createSignInThrottle(lost);
      const attempt = somebody();
      const waits = [];
      for (let count = 0; count < 11; count += 1) {
        waits.push(await alone.attempt(attempt));
      }
      expect(waits.filter((wait) => wait === null).length).to.equal(10);
    } finally {
      lost.close();
      await server.stop();
    }
  });
});
