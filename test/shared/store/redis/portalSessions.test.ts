import { randomUUID } from 'node:crypto';

import { expect } from 'chai';

import type { RedisConnection } from '../../../../shared/store/redis/client.js';
import {
  createPortalSessions,
  maximumPortalSessions,
  type PortalSessions,
  type StoredPortalSession,
} from '../../../../shared/store/redis/portalSessions.js';
import { createRedisGuard } from '../../../../shared/store/redis/redisGuard.js';
import { testStack } from '../../../support/stack.js';
import { openRedis, recordingLogger } from './connections.js';

const created = new Date();
const later = (seconds: number) => new Date(created.getTime() + seconds * 1000);

describe('PortalSessions', () => {
  let redis: RedisConnection;
  let sessions: PortalSessions;
  let lifeId: string;
  before(async () => {
    redis = await openRedis((await testStack()).redis.url);
    sessions = createPortalSessions(createRedisGuard(redis, recordingLogger(), 'it cannot be done'));
  });
  after(() => {
    redis.close();
  });
  beforeEach(() => {
    lifeId = randomUUID();
  });

  const sessionOf = (seconds: number): StoredPortalSession => ({
    accountId: 'acct_1',
    mode: 'test',
    tenantId: 'customer-42',
    lifeId,
    revocations: 2,
    suspensions: 1,
    capabilities: ['webhooks:read'],
    created,
    expiresAt: later(seconds),
  });

  const begin = async (seconds: number): Promise<string> => {
    const id = randomUUID();
    await sessions.begin(id, sessionOf(seconds));
    return id;
  };

  it('are found with the fields of their creation', async () => {
    expect(await sessions.find(await begin(60))).to.deep.equal(sessionOf(60));
  });

  it('are not found if they were never created', async () => {
    expect(await sessions.find(randomUUID())).to.equal(null);
  });

  it('are stored until a day after their expiry', async () => {
    const id = await begin(60);
    expect(await redis.client.ttl(`postrider:portal-session:${id}`)).to.be.within(86_400, 86_460);
  });

  it('are listed by the life of their tenant until they expire', async () => {
    const [first, second] = [await begin(60), await begin(120)];
    expect([
      await sessions.ofLife(lifeId, later(59)),
      await sessions.ofLife(lifeId, later(60)),
      await sessions.ofLife(randomUUID(), created),
    ]).to.deep.equal([[first, second], [second], []]);
  });

  it('are still found after their removal from the list', async () => {
    const [first, second] = [await begin(60), await begin(120)];
    await sessions.unlist(lifeId, [first]);
    expect([await sessions.ofLife(lifeId, created), (await sessions.find(first))?.lifeId]).to.deep.equal([
      [second],
      lifeId,
    ]);
  });

  it('remove nothing from an empty list', async () => {
    await sessions.unlist(lifeId, []);
    expect(await sessions.ofLife(lifeId, created)).to.deep.equal([]);
  });

  it('are limited to the thousand of a tenant that expire last', async () => {
    const shortest = await begin(60);
    const others = Array.from({ length: maximumPortalSessions - 1 }, (_, index) => [
      2000 + index,
      randomUUID(),
    ]);
    await redis.client.zadd(
      `postrider:portal-sessions:${lifeId}`,
      ...others.map(([seconds, id]) => [later(Number(seconds)).getTime(), String(id)]).flat(),
    );
    const last = await begin(120);
    const listed = await sessions.ofLife(lifeId, created);
    expect([listed.length, listed[0], await sessions.find(shortest)]).to.deep.equal([
      maximumPortalSessions,
      last,
      null,
    ]);
  });
});
