import { randomUUID } from 'node:crypto';

import { expect } from 'chai';

import type { RedisConnection } from '../../../../shared/store/redis/client.js';
import { createRedisGuard } from '../../../../shared/store/redis/redisGuard.js';
import {
  createStreamSlots,
  maximumStreams,
  maximumStreamsOfTenants,
  type StreamSlot,
  type StreamSlots,
} from '../../../../shared/store/redis/streamSlots.js';
import { eventually } from '../../../support/eventually.js';
import { testStack } from '../../../support/stack.js';
import { openRedis, recordingLogger } from './connections.js';

describe('The slots of streams', () => {
  let redis: RedisConnection;
  let here: StreamSlots;
  let elsewhere: StreamSlots;
  let accountId: string;
  beforeEach(async () => {
    redis = await openRedis((await testStack()).redis.url);
    const open = () =>
      createStreamSlots(createRedisGuard(redis, recordingLogger(), 'streams cannot be counted'));
    here = open();
    elsewhere = open();
    accountId = randomUUID();
  });
  afterEach(() => {
    redis.close();
  });

  const take = (slots: StreamSlots) => slots.take({ accountId, lifeId: null }, randomUUID());

  const takeAll = async (): Promise<readonly StreamSlot[]> => {
    const taken = await Promise.all(Array.from({ length: maximumStreams }, () => take(here)));
    return taken.filter((slot) => slot !== null);
  };

  /** Moves the last reports of all streams so far back that their slots expire. */
  const letExpire = async (): Promise<void> => {
    const key = `postrider:streams:${accountId}`;
    for (const member of await redis.client.zrange(key, '0', '-1')) {
      await redis.client.zadd(key, String(Date.now() - 1), member);
    }
  };

  it('allow an account five streams, and no sixth in this process or another', async () => {
    const taken = await takeAll();
    expect([taken.length, await take(here), await take(elsewhere)]).to.deep.equal([5, null, null]);
  });

  it('are five for a tenant, which uses none of its account or of another tenant', async () => {
    const takeFor = (lifeId: string | null, slots = here) => slots.take({ accountId, lifeId }, randomUUID());
    const lifeId = randomUUID();
    const taken = await Promise.all(Array.from({ length: maximumStreams }, () => takeFor(lifeId)));
    const refused = [await takeFor(lifeId), await takeFor(lifeId, elsewhere)];
    const others = [await takeFor(randomUUID()), await takeFor(null)];
    await taken[0]?.release();

    expect([taken.includes(null), refused, others.includes(null)]).to.deep.equal([
      false,
      [null, null],
      false,
    ]);
    expect(await takeFor(lifeId, elsewhere)).not.to.equal(null);
  });

  it('are fifty for all tenants of an account', async () => {
    const takeFor = (lifeId: string, slots: StreamSlots) => slots.take({ accountId, lifeId }, randomUUID());
    const taken = await Promise.all(
      Array.from({ length: maximumStreamsOfTenants }, (_, index) =>
        takeFor(`${accountId} ${Math.floor(index / maximumStreams)}`, here),
      ),
    );
    const refused = [await takeFor(randomUUID(), here), await takeFor(randomUUID(), elsewhere)];
    await taken[0]?.release();

    expect([taken.includes(null), refused]).to.deep.equal([false, [null, null]]);
    expect(await takeFor(randomUUID(), elsewhere)).not.to.equal(null);
  });

  it('are separate for each account', async () => {
    await takeAll();
    expect(await elsewhere.take({ accountId: randomUUID(), lifeId: null }, randomUUID())).not.to.equal(null);
  });

  it('are available again after their release, also if other requests were rejected before', async () => {
    const [first] = await takeAll();
    const refused = await take(elsewhere);
    await first?.release();
    expect([refused, (await take(elsewhere)) === null, await take(here)]).to.deep.equal([null, false, null]);
  });

  it('of streams whose process is lost become available again', async () => {
    await takeAll();
    await letExpire();
    expect(await take(elsewhere)).not.to.equal(null);
  });

  it('of streams that report stay taken', async () => {
    const taken = await takeAll();
    await letExpire();
    await Promise.all(taken.map((slot) => slot.keep()));
    expect(await take(elsewhere)).to.equal(null);
  });

  it('are counted by each process alone while Redis is unavailable', async () => {
    redis.close();
    await eventually('the end of the connection', () => (redis.isReady() ? null : true));
    const [first, ...others] = await takeAll();
    const sixth = await take(here);
    await first?.keep();
    await first?.release();
    expect([others.length, sixth, (await take(here)) === null]).to.deep.equal([4, null, false]);
  });
});
