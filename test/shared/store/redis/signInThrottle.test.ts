import { randomUUID } from 'node:crypto';

import { expect } from 'chai';

import type { RedisConnection } from '../../../../shared/store/redis/client.js';
import {
  createSignInThrottle,
  type SignInAttempt,
  type SignInThrottle,
} from '../../../../shared/store/redis/signInThrottle.js';
import { eventually } from '../../../support/eventually.js';
import { testStack } from '../../../support/stack.js';
import { openRedis } from './connections.js';
import { startTestRedis } from './redisServer.js';

describe('The throttle of failed sign-ins', () => {
  let redis: RedisConnection;
  let throttle: SignInThrottle;
  before(async () => {
    redis = await openRedis((await testStack()).redis.url);
    throttle = createSignInThrottle(redis);
  });
  after(() => {
    redis.close();
  });

  const anybody = () => ({ email: `${randomUUID()}@example.com`, network: randomUUID() });
  const admittedOf = async (attempts: readonly SignInAttempt[]) => {
    const admissions = await Promise.all(attempts.map(throttle.admit));
    return admissions.filter(({ admitted }) => admitted).length;
  };
  const repeated = (times: number, attempt: () => SignInAttempt) => Array.from({ length: times }, attempt);

  it('admits ten failures for an address from a network, also in parallel', async () => {
    const attempt = anybody();
    expect(await admittedOf(repeated(13, () => attempt))).to.equal(10);
  });

  it('reports how long the limit applies: at most a quarter of an hour', async () => {
    const attempt = anybody();
    await admittedOf(repeated(10, () => attempt));
    const admission = await throttle.admit(attempt);
    expect(admission.admitted ? 0 : admission.waitSeconds).to.be.within(890, 900);
  });

  it('admits the same address from another network after ten failures', async () => {
    const attempt = anybody();
    await admittedOf(repeated(11, () => attempt));
    expect(await admittedOf([{ ...attempt, network: randomUUID() }])).to.equal(1);
  });

  it('admits a hundred failures for an address from all networks', async () => {
    const { email } = anybody();
    expect(await admittedOf(repeated(103, () => ({ ...anybody(), email })))).to.equal(100);
  });

  it('admits fifty failures from a network for all addresses', async () => {
    const { network } = anybody();
    expect(await admittedOf(repeated(53, () => ({ ...anybody(), network })))).to.equal(50);
  });

  it('counts nothing against the addresses that a network tries beyond its limit', async () => {
    const { email, network } = anybody();
    await admittedOf(repeated(50, () => ({ ...anybody(), network })));
    await admittedOf(repeated(120, () => ({ email, network })));
    expect(await admittedOf(repeated(100, () => ({ ...anybody(), email })))).to.equal(100);
  });

  it('counts nothing against the network for attempts beyond the limit of an address', async () => {
    const attempt = anybody();
    await admittedOf(repeated(10, () => attempt));
    for (let count = 0; count < 60; count += 1) {
      await throttle.admit(attempt);
    }
    expect(await admittedOf(repeated(41, () => ({ ...attempt, email: anybody().email })))).to.equal(40);
  });

  it('counts attempts with links by network', async () => {
    const { network } = anybody();
    expect(await admittedOf(repeated(51, () => ({ network, email: null })))).to.equal(50);
  });

  it('admits ten failures of a known device, apart from all others', async () => {
    const device = randomUUID();
    const admissions = await Promise.all(Array.from({ length: 12 }, () => throttle.admitDevice(device)));
    const other = await throttle.admitDevice(randomUUID());
    expect([admissions.filter(({ admitted }) => admitted).length, other.admitted]).to.deep.equal([10, true]);
  });

  it('does not count an attempt that was forgiven', async () => {
    const attempt = anybody();
    for (let count = 0; count < 60; count += 1) {
      const admission = await throttle.admit(attempt);
      if (admission.admitted) {
        await admission.forgive();
      }
    }
    expect(await admittedOf(repeated(11, () => attempt))).to.equal(10);
  });

  it('writes no email address into Redis', async () => {
    const attempt = anybody();
    await throttle.admit(attempt);
    expect(await redis.client.keys(`*${attempt.email}*`)).to.deep.equal([]);
  });

  it('counts in this process while Redis is unavailable', async () => {
    const server = await startTestRedis();
    const lost = await openRedis(server.url);
    try {
      await server.server.kill();
      await eventually('the end of the connection', () => (lost.isReady() ? null : true));
      const alone = createSignInThrottle(lost);
      const attempt = anybody();
      const admissions = [];
      for (let count = 0; count < 11; count += 1) {
        admissions.push(await alone.admit(attempt));
      }
      expect(admissions.filter(({ admitted }) => admitted).length).to.equal(10);
    } finally {
      lost.close();
      await server.stop();
    }
  });
});
