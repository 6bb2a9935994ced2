import { randomUUID } from 'node:crypto';

import { expect } from 'chai';

import type { RedisConnection } from '../../../../shared/store/redis/client.js';
import { createRedisGuard } from '../../../../shared/store/redis/redisGuard.js';
import {
  createSessions,
  idleSeconds,
  type Sessions,
  type StoredSession,
} from '../../../../shared/store/redis/sessions.js';
import { eventually } from '../../../support/eventually.js';
import { testStack } from '../../../support/stack.js';
import { openRedis, recordingLogger } from './connections.js';

function sessionOf(userId: string): StoredSession {
  return {
    accountId: 'acct_1',
    userId,
    passwordId: 'record 1',
    suspensions: 0,
    created: new Date('2026-11-21T10:00:00.000Z'),
  };
}

describe('Sessions', () => {
  let redis: RedisConnection;
  let sessions: Sessions;
  let id: string;
  let session: StoredSession;
  before(async () => {
    redis = await openRedis((await testStack()).redis.url);
    sessions = createSessions(createRedisGuard(redis, recordingLogger(), 'it cannot be done'));
  });
  after(() => {
    redis.close();
  });
  beforeEach(async () => {
    id = randomUUID();
    session = sessionOf(randomUUID());
    await sessions.begin(id, session);
  });

  const keyOf = (name: string) => `postrider:session:${name}`;

  it('are found with the fields of their creation', async () => {
    expect(await sessions.find(id, 'use')).to.deep.equal(session);
  });

  it('are not found if they were never created', async () => {
    expect(await sessions.find(randomUUID(), 'use')).to.equal(null);
  });

  it('are not found once they have ended', async () => {
    await sessions.end(id);
    expect(await sessions.find(id, 'use')).to.equal(null);
  });

  it('end automatically without use', async () => {
    await redis.client.pexpire(keyOf(id), 1);
    expect(
      await eventually('the end of the session', async () =>
        (await sessions.find(id, 'peek')) === null ? 'ended' : null,
      ),
    ).to.equal('ended');
  });

  it('last twelve hours at first', async () => {
    expect(await redis.client.ttl(keyOf(id))).to.be.within(idleSeconds - 60, idleSeconds);
  });

  it('last another twelve hours from each use', async () => {
    await redis.client.expire(keyOf(id), 600);
    await sessions.find(id, 'use');
    expect(await redis.client.ttl(keyOf(id))).to.be.within(idleSeconds - 60, idleSeconds);
  });

  it('last no longer if they are only read', async () => {
    await redis.client.expire(keyOf(id), 600);
    await sessions.find(id, 'peek');
    expect(await redis.client.ttl(keyOf(id))).to.be.most(600);
  });

  it('are limited to the last twenty of a user', async () => {
    const ids = Array.from({ length: 21 }, () => randomUUID());
    for (const each of ids) {
      await sessions.begin(each, session);
    }
    const found = await Promise.all([id, ...ids].map((each) => sessions.find(each, 'peek')));
    expect(found.map((each) => each !== null)).to.deep.equal([
      false,
      false,
      ...Array.from({ length: 20 }, () => true),
    ]);
  });
});
