import { expect } from 'chai';

import { resetExpiredOffsets, type ResetOffsets } from '../../../cli/commands/offsets.js';
import { withStores } from '../../../cli/environment/stores.js';
import { createClient, type Client } from '../../support/client.js';
import { forgetGroup } from '../../support/forgetGroup.js';
import { openTestLog, type TestLog } from '../../support/log.js';
import { startReceiver, type Receiver } from '../../support/receiver.js';
import { startService, type TestService } from '../../support/service.js';

const partitions = 3;

describe('a delivery group whose offsets have expired', () => {
  let service: TestService;
  let log: TestLog;
  let client: Client;
  let receiver: Receiver;
  let group: string;
  let ends: readonly number[];

  before(async () => {
    service = await startService();
    group = `${service.config.topics.prefix}delivery`;
    log = await openTestLog({ POSTRIDER_TOPIC_PREFIX: service.config.topics.prefix });
    client = createClient(service.address, (await service.createAccount()).liveKey);
    receiver = await startReceiver();
    await client.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
    await post(5);
    await receiver.received(5);
    await service.stopRole('delivery');
    await post(3);
    await forget();
    ends = await withStores(service.config, ({ offsets }) => offsets.ends('events'));
  });

  const forget = () => forgetGroup(log.admin, group);

  const post = (count: number) =>
    Promise.all(Array.from({ length: count }, () => client.post('/v1/events', { type: 'a.b', data: {} })));

  const set = (from: 'end' | 'model') =>
    withStores(service.config, (stores) => resetExpiredOffsets(stores, group, from));

  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: unknown) => String(error),
    );

  it('does not start without committed offsets, and the error names the command to set them', async () => {
    expect(await failureOf(service.startRole('delivery'))).to.include('postrider offsets set');
  });

  describe('after its offsets are set to the end', () => {
    let answer: ResetOffsets;

    before(async () => {
      await forget();
      answer = await set('end');
    });

    it('starts after all events', () => {
      expect(answer).to.deep.equal({ group, offsets: ends, skipped: 8 });
    });

    it('cannot be set again', async () => {
      expect(await failureOf(set('model'))).to.include('so nothing was changed');
    });
  });

  describe('after its offsets are set from the model', () => {
    let answer: ResetOffsets;

    before(async () => {
      await forget();
      answer = await set('model');
    });

    it('starts an hour before the newest event with an outcome', () => {
      expect(answer.offsets).to.deep.equal(Array(partitions).fill(0));
    });

    it('delivers events without an outcome, and no other', async () => {
      await service.startRole('delivery');
      await receiver.received(8, 20_000);
      const ids = receiver.requests.map(({ headers }) => headers['webhook-id']);
      expect([ids.length, new Set(ids).size]).to.deep.equal([8, 8]);
    });
  });
});
