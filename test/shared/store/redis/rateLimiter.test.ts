import { randomUUID } from 'node:crypto';

import { expect } from 'chai';

import type { RedisConnection } from '../../../../shared/store/redis/client.js';
import { createRateLimiter, type RateLimiter } from '../../../../shared/store/redis/rateLimiter.js';
import { eventually } from '../../../support/eventually.js';
import { testStack } from '../../../support/stack.js';
import { openRedis, recordingLogger } from './connections.js';
import { startTestRedis, type TestRedis } from './redisServer.js';

/** A limiter like that of another process, with its own connection. */
async function openLimiter(url: string): Promise<{ redis: RedisConnection; limiter: RateLimiter }> {
  const redis = await openRedis(url);
  return { redis, limiter: createRateLimiter(redis, recordingLogger()) };
}

async function inTurn<Result>(times: number, work: () => Promise<Result>): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let done = 0; done < times; done += 1) {
    results.push(await work());
  }
  return results;
}

/** How long work takes, in milliseconds, for each of several times in turn. */
function durations(times: number, work: () => Promise<unknown>): Promise<readonly number[]> {
  return inTurn(times, async () => {
    const begin = performance.now();
    await work();
    return performance.now() - begin;
  });
}

/** How many took as long as a wait for Redis. A busy machine may add one. */
function longOnesOf(milliseconds: readonly number[]): number {
  return milliseconds.filter((duration) => duration > 50).length;
}

describe('The rate limiter', () => {
  let redis: RedisConnection;
  let limiter: RateLimiter;
  let key: string;
  beforeEach(async () => {
    ({ redis, limiter } = await openLimiter((await testStack()).redis.url));
    key = randomUUID();
  });
  afterEach(() => {
    redis.close();
  });

  it('allows exactly the limit to two processes together', async () => {
    const other = await openLimiter((await testStack()).redis.url);
    const both = [limiter, other.limiter];
    const decisions = await Promise.all(
      Array.from({ length: 150 }, () => both.map((each) => each.consume(key, 100))).flat(),
    );
    other.redis.close();
    expect(decisions.filter(({ allowed }) => allowed)).to.have.length(100);
  });

  it('reports used requests without prefetched quota', async () => {
    await inTurn(20, () => limiter.consume(key, 1000));
    expect(await limiter.used(key, 1000)).to.equal(20);
  });

  it('counts each key separately', async () => {
    await limiter.consume(key, 1);
    expect((await limiter.consume(randomUUID(), 1)).allowed).to.equal(true);
  });

  it('allows requests up to the limit, and reports the remaining ones and the end of the window', async () => {
    const decisions = await inTurn(5, () => limiter.consume(key, 3));
    expect(decisions.map(({ allowed, remaining }) => [allowed, remaining])).to.deep.equal([
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
      [false, 0],
    ]);
    expect(new Set(decisions.map(({ resetSeconds }) => resetSeconds))).to.deep.equal(new Set([1]));
  });

  it('allows requests again a second after the first one of the window', async () => {
    const begin = performance.now();
    await inTurn(2, () => limiter.consume(key, 1));
    await eventually('the next window', async () => ((await limiter.consume(key, 1)).allowed ? true : null));
    expect(performance.now() - begin).to.be.at.least(990);
  });

  it('rejects the rest of an exhausted window without asking Redis', async () => {
    await inTurn(10, () => limiter.consume(key, 3));
    expect(await redis.client.get(`postrider:rate:${key}`)).to.equal('3');
  });

  it('applies a new limit at once', async () => {
    await inTurn(3, () => limiter.consume(key, 3));
    expect((await limiter.consume(key, 10)).remaining).to.equal(6);
  });
});

describe('The rate limiter while Redis is unavailable', () => {
  let server: TestRedis;
  let redis: RedisConnection;
  let limiter: RateLimiter;
  let key: string;
  beforeEach(async () => {
    server = await startTestRedis();
    ({ redis, limiter } = await openLimiter(server.url));
    key = randomUUID();
  });
  afterEach(async () => {
    redis.close();
    await server.stop();
  });

  /** Fails if a request is rejected, which an outage must not cause. */
  const countsInRedisAgain = () =>
    eventually('Redis counts again', async () => {
      const probe = randomUUID();
      const { allowed } = await limiter.consume(probe, 1);
      expect(allowed).to.equal(true);
      return redis.isReady() ? redis.client.get(`postrider:rate:${probe}`) : null;
    });

  const rejectWrites = (maximumMemory: string) => redis.client.config('SET', 'maxmemory', maximumMemory);

  const outages: Readonly<Record<string, () => unknown>> = {
    'is killed': () => server.server.kill(),
    'is suspended': () => {
      server.server.pause();
    },
    'rejects writes': () => rejectWrites('1'),
  };
  for (const [outage, fail] of Object.entries(outages)) {
    it(`allows this process the whole limit while Redis ${outage}, and no more`, async () => {
      await fail();
      // The first requests may take all of a window's time.
      await inTurn(3, () => limiter.consume(randomUUID(), 1));
      const decisions = await inTurn(7, () => limiter.consume(key, 5));
      expect(decisions.map(({ allowed }) => allowed)).to.deep.equal([
        true,
        true,
        true,
        true,
        true,
        false,
        false,
      ]);
    });
  }

  it('counts in Redis again once Redis is restarted', async () => {
    await server.server.kill();
    await inTurn(5, () => limiter.consume(key, 1000));
    await server.server.restart();
    await countsInRedisAgain();
  });

  it('skips a suspended Redis even if rejections from memory come in between', async () => {
    await limiter.consume('exhausted', 1);
    server.server.pause();
    await inTurn(3, async () => {
      await limiter.consume(key, 1000);
      await limiter.consume('exhausted', 1);
    });
    await eventually('ten requests with at most two waits', async () =>
      longOnesOf(await durations(10, () => limiter.consume(key, 1000))) < 3 ? true : null,
    );
  });

  it('lets at most one request a second wait while Redis is suspended', async () => {
    server.server.pause();
    await inTurn(3, () => limiter.consume(key, 1000));
    // Other work on the machine may delay requests too, so one interval with few waits is enough.
    await eventually('one and a half seconds with at most two waits', async () => {
      const end = performance.now() + 1500;
      const waits: number[] = [];
      await eventually('the end of the interval', async () => {
        waits.push(...(await durations(1, () => limiter.consume(key, 1000))));
        return performance.now() > end ? true : null;
      });
      return longOnesOf(waits) < 3 ? true : null;
    });
  });

  it('counts in Redis again once Redis is resumed', async () => {
    server.server.pause();
    await inTurn(5, () => limiter.consume(key, 1000));
    server.server.resume();
    await countsInRedisAgain();
  });

  it('counts in Redis again once Redis accepts writes', async () => {
    await rejectWrites('1');
    await inTurn(5, () => limiter.consume(key, 1000));
    await rejectWrites('0');
    await countsInRedisAgain();
  });
});
