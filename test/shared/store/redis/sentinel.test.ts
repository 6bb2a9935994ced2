import { expect } from 'chai';

import type { RedisConnection } from '../../../../shared/store/redis/client.js';
import { eventually } from '../../../support/eventually.js';
import { openRedis, recordingLogger } from './connections.js';
import { redisConfigOf } from './redisConfig.js';
import { startRedisSentinel, type RedisSentinel } from './redisNodes.js';

const password = 'words0for0redis';

describe('The Redis client with Sentinels', () => {
  let servers: RedisSentinel;
  let redis: RedisConnection;
  let logger: ReturnType<typeof recordingLogger>;
  before(async () => {
    servers = await startRedisSentinel(password);
    logger = recordingLogger();
    redis = await openRedis(
      redisConfigOf({
        // The first Sentinel is unavailable.
        REDIS_URL: `redis://:${password}@127.0.0.1:1,127.0.0.1:${servers.sentinelPort}/0`,
        REDIS_SENTINEL_MASTER: servers.master,
        REDIS_SENTINEL_PASSWORD: password,
      }),
      logger,
    );
  });
  after(async () => {
    redis.close();
    await servers.stop();
  });

  it('reads and writes at the master that a Sentinel names', async () => {
    await redis.client.set('before', 'x');
    expect([await redis.client.get('before'), (await redis.client.role())[0]]).to.deep.equal(['x', 'master']);
  });

  it('writes at the new master after the master was killed', async () => {
    await servers.killMaster();
    expect(await eventually('a write', () => redis.client.set('after', 'x'))).to.equal('OK');
    expect(logger.lines).to.deep.equal([
      'warn: Redis is unavailable: the process tries to reconnect at least once a second',
      'info: Redis is available again',
    ]);
  });
});
