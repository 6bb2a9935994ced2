import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';

import { UnavailableError } from '../../../../shared/core/errors.js';
import { createRatePermits, type RatePermits } from '../../../../shared/store/rates/ratePermits.js';
import type { RedisConnection } from '../../../../shared/store/redis/client.js';
import { createRedisGuard } from '../../../../shared/store/redis/redisGuard.js';
import { eventually } from '../../../support/eventually.js';
import { openRedis, recordingLogger } from '../redis/connections.js';
import { startTestRedis, type TestRedis } from '../redis/redisServer.js';

const windowMs = 1000;
const now = () => performance.now();

describe('The permits of rate limits', function () {
  this.timeout(60_000);

  let server: TestRedis;
  let redis: RedisConnection;
  let webhookId: string;

  beforeEach(async () => {
    server = await startTestRedis();
    redis = await openRedis(server.url);
    webhookId = randomUUID();
  });
  afterEach(async () => {
    redis.close();
    await server.stop();
  });

  const openPermits = () =>
    createRatePermits({
      guard: createRedisGuard(redis, recordingLogger(), 'permits cannot be counted'),
      now,
      logger: recordingLogger(),
    });

  /** Takes a permit and waits as Redis says. Returns the time at which it may be used. */
  const takeOne = async (permits: RatePermits, limit: number, per: 'second' | 'minute' = 'second') => {
    for (;;) {
      const answer = await permits.take(webhookId, { limit, per }, 1);
      if ('expiresAt' in answer) {
        return answer.expiresAt;
      }
      await pause(answer.waitMs);
    }
  };

  /** The starts of attempts by two processes, until a time. A permit that has expired is not used. */
  const startsUntil = async (until: number, limitAt: () => number): Promise<readonly number[]> => {
    const starts: number[] = [];
    const use = async (permits: RatePermits, delays: readonly number[]) => {
      for (let index = 0; now() < until; index += 1) {
        const expiresAt = await takeOne(permits, limitAt());
        // Some attempts start late, as after a pause of the process.
        await pause(delays[index % delays.length] ?? 0);
        const startsAt = now();
        if (startsAt < expiresAt) {
          starts.push(startsAt);
        }
      }
    };
    const [here, elsewhere] = [openPermits(), openPermits()];
    await Promise.all([use(here, [0, 0, 30]), use(here, [5, 0]), use(elsewhere, [0, 80, 1, 0])]);
    return starts.toSorted((one, other) => one - other);
  };

  const mostInAnyWindow = (starts: readonly number[]) =>
    Math.max(...starts.map((first) => starts.filter((at) => at >= first && at < first + windowMs).length));

  it('wait a full window before the first one, because the counts of a Redis may be lost', async () => {
    const begunAt = now();
    await takeOne(openPermits(), 5);
    expect(now() - begunAt).to.be.at.least(windowMs);
  });

  it('begin this wait before the first one is needed', async () => {
    const permits = openPermits();
    await permits.begin();
    const answer = await permits.take(webhookId, { limit: 5, per: 'minute' }, 1);
    expect(answer).to.have.property('waitMs').that.is.at.most(66_000);
    const granted = await eventually('a permit', async () => {
      const { granted } = await permits.take(webhookId, { limit: 5, per: 'second' }, 1);
      return granted > 0 ? granted : null;
    });
    expect(granted).to.equal(1);
  });

  it('are never more than the limit in any window, for several processes', async () => {
    const limit = 20;
    const starts = await startsUntil(now() + 8000, () => limit);
    expect(mostInAnyWindow(starts)).to.be.at.most(limit);
    // Ten of eleven tenths, and permits that expire.
    expect(starts.length).to.be.at.least(limit * 4);
  });

  it('are granted at once up to a raised limit', async () => {
    const permits = openPermits();
    await takeOne(permits, 1);
    const before = await permits.take(webhookId, { limit: 1, per: 'second' }, 5);
    const after = await permits.take(webhookId, { limit: 1000, per: 'second' }, 5);
    expect([before.granted, after.granted]).to.deep.equal([0, 5]);
  });

  it('are granted as many as are free', async () => {
    const permits = openPermits();
    await takeOne(permits, 3);
    const { granted } = await permits.take(webhookId, { limit: 3, per: 'second' }, 10);
    expect(granted).to.equal(2);
  });

  it('wait a full window after Redis was emptied', async () => {
    const permits = openPermits();
    await takeOne(permits, 1);
    await redis.client.flushall();
    const answer = await permits.take(webhookId, { limit: 1, per: 'second' }, 1);
    expect(answer).to.have.property('waitMs').that.is.at.least(windowMs);
  });

  it('wait a full window if Redis was restarted, although it has stored the counts', async () => {
    const permits = openPermits();
    await takeOne(permits, 1);
    await redis.client.hset('{postrider:permits}:known:second', 'run', 'an-earlier-run');
    const answer = await permits.take(webhookId, { limit: 1, per: 'second' }, 1);
    expect(answer).to.have.property('waitMs').that.is.at.least(windowMs);
  });

  it('do not exist without Redis', async () => {
    const permits = openPermits();
    await server.server.kill();
    await eventually('the loss of Redis', () => (redis.isReady() ? null : true));
    const error: unknown = await permits
      .take(webhookId, { limit: 1, per: 'second' }, 1)
      .catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(UnavailableError);
  });
});
