import { once } from 'node:events';

import { expect } from 'chai';

import { createRedis, type RedisConnection } from '../../../../shared/store/redis/client.js';
import { eventually } from '../../../support/eventually.js';
import { openRedis, recordingLogger, redisAt } from './connections.js';
import { startTestRedis, type TestRedis } from './redisServer.js';

const nobodyListens = 'redis://127.0.0.1:1';

describe('The Redis client', () => {
  let server: TestRedis;
  let redis: RedisConnection;
  let logger: ReturnType<typeof recordingLogger>;
  beforeEach(async () => {
    server = await startTestRedis();
    logger = recordingLogger();
    redis = await openRedis(server.url, logger);
  });
  afterEach(async () => {
    redis.close();
    await server.stop();
  });

  const becomesReady = () => eventually('the connection is back', () => (redis.isReady() ? true : null));
  const attemptsFail = ({ client }: RedisConnection, count: number) => {
    let failed = 0;
    client.on('close', () => {
      failed += 1;
    });
    return eventually(`${count} connections fail`, () => (failed >= count ? true : null));
  };

  it('is ready once its first connection is, for a caller that waits for it', async () => {
    const another = createRedis(redisAt(server.url), logger);
    const before = another.isReady();
    await another.firstReady(20_000);
    expect([before, another.isReady()]).to.deep.equal([false, true]);
    another.close();
  });

  it('does not delay a caller that waits for a server that cannot be reached', async () => {
    const another = createRedis(redisAt(nobodyListens), logger);
    await another.firstReady(20_000);
    expect(another.isReady()).to.equal(false);
    another.close();
  });

  it('logs nothing about a connection that opens and closes in order', async () => {
    redis.close();
    await once(redis.client, 'end');
    expect(logger.lines).to.deep.equal([]);
  });

  it('rejects a command at once while there is no connection', async () => {
    server.server.pause();
    const other = createRedis(redisAt(server.url), recordingLogger());
    const begin = performance.now();
    await other.client.ping().catch(() => null);
    const waited = performance.now() - begin;
    other.close();
    // Otherwise the command would wait for the paused server.
    expect(waited).to.be.lessThan(3000);
  });

  it('logs once that Redis is unavailable, however often it retries', async () => {
    const other = createRedis(redisAt(nobodyListens), logger);
    await attemptsFail(other, 4).finally(other.close);
    expect(logger.lines).to.deep.equal([
      'warn: Redis is unavailable: the process tries to reconnect at least once a second',
    ]);
  });

  it('reconnects automatically to a server that was killed and restarted', async () => {
    await server.server.kill();
    await attemptsFail(redis, 2);
    await server.server.restart();
    await becomesReady();
    expect(await redis.client.ping()).to.equal('PONG');
  });

  it('logs once that Redis has recovered', async () => {
    await server.server.kill();
    await eventually('the loss is seen', () => (redis.isReady() ? null : true));
    await server.server.restart();
    await becomesReady();
    expect(logger.lines.filter((line) => line.startsWith('info'))).to.deep.equal([
      'info: Redis is available again',
    ]);
  });

  it('closes a connection without answers', async () => {
    server.server.pause();
    const failure: unknown = await redis.client.ping().catch((error: unknown) => error);
    server.server.resume();
    expect(failure).to.be.instanceOf(Error);
  });

  it('reconnects automatically to a server that was suspended', async () => {
    server.server.pause();
    await redis.client.ping().catch(() => null);
    await eventually('the loss is seen', () => (redis.isReady() ? null : true));
    server.server.resume();
    await becomesReady();
    expect(await redis.client.ping()).to.equal('PONG');
  });

  it('never retries a command, because it may have been executed before the connection was lost', async () => {
    server.server.pause();
    const lost = redis.client.incr('count').catch(() => 'rejected');
    await server.server.kill();
    await server.server.restart();
    await becomesReady();
    expect([await lost, await redis.client.get('count')]).to.deep.equal(['rejected', null]);
  });
});
