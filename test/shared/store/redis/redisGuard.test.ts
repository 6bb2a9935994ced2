import { expect } from 'chai';

import { UnavailableError } from '../../../../shared/core/errors.js';
import type { RedisConnection } from '../../../../shared/store/redis/client.js';
import { createRedisGuard, type RedisGuard } from '../../../../shared/store/redis/redisGuard.js';
import { eventually } from '../../../support/eventually.js';
import { openRedis, recordingLogger } from './connections.js';
import { startTestRedis, type TestRedis } from './redisServer.js';

function outcomeOf(guard: RedisGuard): Promise<unknown> {
  return guard.ask((client) => client.ping()).catch((error: unknown) => error);
}

describe('The Redis guard', () => {
  let server: TestRedis;
  let redis: RedisConnection;
  let guard: RedisGuard;
  let lines: readonly string[];
  before(async () => {
    server = await startTestRedis();
  });
  beforeEach(async () => {
    redis = await openRedis(server.url);
    const logger = recordingLogger();
    ({ lines } = logger);
    guard = createRedisGuard(redis, logger, 'sessions cannot be looked up');
  });
  afterEach(() => {
    redis.close();
  });

  it('returns the answers of Redis', async () => {
    expect(await outcomeOf(guard)).to.equal('PONG');
  });

  it('reports the consequence, and when to retry, without a connection', async () => {
    redis.close();
    await eventually('the end of the connection', () => (redis.isReady() ? null : true));
    const outcome = await outcomeOf(guard);
    expect(outcome).to.be.instanceOf(UnavailableError).and.to.include({
      message: 'Redis does not respond, so sessions cannot be looked up',
      retryAfterSeconds: 2,
    });
  });

  it('skips a suspended Redis, logs it once, and asks it again once it answers', async () => {
    server.server.pause();
    const outcomes = await Promise.all([outcomeOf(guard), outcomeOf(guard), outcomeOf(guard)]);
    const skipped = await outcomeOf(guard);
    server.server.resume();
    const answer = await eventually('an answer', async () => {
      const outcome = await outcomeOf(guard);
      return outcome === 'PONG' ? outcome : null;
    });
    const told = lines.filter((line) => line.includes('The process probes'));
    expect([
      [...outcomes, skipped].every((outcome) => outcome instanceof UnavailableError),
      answer,
      told,
    ]).to.deep.equal([
      true,
      'PONG',
      [
        'warn: Redis does not respond, so sessions cannot be looked up. The process probes Redis once a second',
      ],
    ]);
  });
});
