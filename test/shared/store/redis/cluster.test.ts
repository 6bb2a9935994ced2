import { randomUUID } from 'node:crypto';

import { expect } from 'chai';
import { Cluster } from 'ioredis';

import type { RedisConnection } from '../../../../shared/store/redis/client.js';
import { createRateLimiter } from '../../../../shared/store/redis/rateLimiter.js';
import { createRedisGuard } from '../../../../shared/store/redis/redisGuard.js';
import { createSessions, type Sessions } from '../../../../shared/store/redis/sessions.js';
import { createSignInThrottle, signInLimits } from '../../../../shared/store/redis/signInThrottle.js';
import { createStreamSlots, maximumStreams } from '../../../../shared/store/redis/streamSlots.js';
import { makeCertificates, type Certificates } from '../../../support/certificates.js';
import { startTlsProxy, type TlsProxy } from '../../../support/tlsProxy.js';
import { openRedis, recordingLogger } from './connections.js';
import { redisConfigOf } from './redisConfig.js';
import { startRedisCluster, type RedisCluster } from './redisNodes.js';

const password = 'words0for0redis';
/** So many keys that each of three nodes has some. */
const manyKeys = Array.from({ length: 30 }, () => randomUUID());

describe('A Redis cluster whose nodes require TLS', () => {
  let certificates: Certificates;
  /** By the port of their node. A start that is repeated with other ports leaves proxies without a node. */
  let proxies: Map<number, TlsProxy>;
  let cluster: RedisCluster;
  let redis: RedisConnection;
  let logger: ReturnType<typeof recordingLogger>;
  let sessions: Sessions;
  before(async () => {
    certificates = await makeCertificates();
    proxies = new Map();
    cluster = await startRedisCluster(password, async (port) => {
      const proxy = await startTlsProxy(certificates, port);
      proxies.set(port, proxy);
      return proxy.port;
    });
    const { ca, client } = certificates;
    logger = recordingLogger();
    redis = await openRedis(
      redisConfigOf({
        // The first node is unavailable.
        REDIS_URL: `rediss://:${password}@127.0.0.1:1,127.0.0.1:${proxies.get(cluster.ports[0] ?? 0)?.port ?? 0}`,
        REDIS_CLUSTER: 'true',
        REDIS_SSL_CA: ca,
        REDIS_SSL_CERT: client.cert,
        REDIS_SSL_KEY: client.key,
        REDIS_SSL_KEY_PASSPHRASE: client.passphrase,
      }),
      logger,
    );
    sessions = createSessions(createRedisGuard(redis, logger, 'sessions cannot be looked up'));
  });
  after(async () => {
    redis.close();
    await cluster.stop();
    await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
    await certificates.remove();
  });

  const sessionOf = (userId: string) => ({
    accountId: 'acct_1',
    userId,
    passwordId: 'record 1',
    suspensions: 0,
    created: new Date('2026-11-21T10:00:00.000Z'),
  });

  it('stores keys on all nodes', async () => {
    await Promise.all(manyKeys.map((key) => redis.client.set(key, key)));
    const nodes = redis.client instanceof Cluster ? redis.client.nodes('master') : [];
    const counts = await Promise.all(nodes.map((node) => node.dbsize()));
    expect(counts.filter((count) => count > 0)).to.have.length(3);
    expect(await Promise.all(manyKeys.map((key) => redis.client.get(key)))).to.deep.equal(manyKeys);
  });

  it('creates, finds and ends sessions', async () => {
    const ids = manyKeys.map(() => randomUUID());
    await Promise.all(ids.map((id) => sessions.begin(id, sessionOf(id))));
    const found = await Promise.all(ids.map((id) => sessions.find(id, 'use')));
    expect(found).to.deep.equal(ids.map(sessionOf));
    await Promise.all(ids.map((id) => sessions.end(id)));
    expect(await Promise.all(ids.map((id) => sessions.find(id, 'peek')))).to.deep.equal(ids.map(() => null));
  });

  it('ends the oldest of 21 sessions of a user', async () => {
    const userId = randomUUID();
    const ids = Array.from({ length: 21 }, () => randomUUID());
    for (const id of ids) {
      await sessions.begin(id, sessionOf(userId));
    }
    const found = await Promise.all(ids.map((id) => sessions.find(id, 'peek')));
    expect(found.map((session) => session !== null)).to.deep.equal(ids.map((_, index) => index > 0));
  });

  it('counts requests against their limits', async () => {
    const limiter = createRateLimiter(redis, logger);
    const decisions = await Promise.all(
      manyKeys.map(async (key) => {
        const both = [await limiter.consume(key, 1), await limiter.consume(key, 1)];
        return both.map(({ allowed }) => allowed).join(' ');
      }),
    );
    expect(decisions.filter((decision) => decision === 'true false').length).to.be.greaterThan(20);
    expect(await Promise.all(manyKeys.map((key) => limiter.used(key, 1)))).to.have.length(manyKeys.length);
  });

  it('counts the failed sign-ins of an email address', async () => {
    const throttle = createSignInThrottle(redis);
    const attempt = { email: `${randomUUID()}@example.com`, network: randomUUID() };
    const admitted: boolean[] = [];
    for (let made = 0; made <= signInLimits.emailAndNetwork; made += 1) {
      admitted.push((await throttle.admit(attempt)).admitted);
    }
    expect(admitted).to.deep.equal([...Array<boolean>(signInLimits.emailAndNetwork).fill(true), false]);
  });

  it('counts the streams of a tenant', async () => {
    const slots = createStreamSlots(createRedisGuard(redis, logger, 'streams cannot be counted'));
    const owner = { accountId: randomUUID(), lifeId: randomUUID() };
    const taken = await Promise.all(
      Array.from({ length: maximumStreams }, (_, index) => slots.take(owner, `stream ${index}`)),
    );
    const elsewhere = createStreamSlots(createRedisGuard(redis, logger, 'streams cannot be counted'));
    expect(await elsewhere.take(owner, 'one more')).to.equal(null);
    await Promise.all(taken.map(async (slot) => slot?.release()));
    expect(await elsewhere.take(owner, 'one more')).not.to.equal(null);
  });

  it('logs nothing while the cluster is complete', () => {
    expect(logger.lines).to.deep.equal([]);
  });
});
