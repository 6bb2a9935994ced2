import { expect } from 'chai';

import { setOffsets, type SetOffsets } from '../../../cli/offsets/setOffsets.js';
import { withStores } from '../../../cli/environment/stores.js';
import { createClient, type Client } from '../../support/client.js';
import { forgetGroup } from '../../support/forgetGroup.js';
import { openTestLog, type TestLog } from '../../support/log.js';
import { startReceiver, type Receiver } from '../../support/receiver.js';
import { startService, type TestService } from '../../support/service.js';

const partitions = 3;

describe('a delivery group that Kafka has forgotten', function () {
  this.timeout(60_000);

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

  after(async () => {
    await receiver.close();
    await log.close();
    await service.stop();
  });

  const forget = () => forgetGroup(log.admin, group);

  const post = (count: number) =>
    Promise.all(Array.from({ length: count }, () => client.post('/v1/events', { type: 'a.b', data: {} })));

  const set = (from: 'end' | 'model') =>
    withStores(service.config, (stores) => setOffsets(stores, group, from));

  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: unknown) => String(error),
    );

  it('does not begin anew, and says what to do', async () => {
    expect(await failureOf(service.startRole('delivery'))).to.include('postrider offsets set');
  });

  describe('and that is set to the end', () => {
    let answer: SetOffsets;

    before(async () => {
      await forget();
      answer = await set('end');
    });

    it('goes on behind all events', () => {
      expect(answer).to.deep.equal({ group, offsets: ends, skipped: 8 });
    });

    it('is not moved any more, since Kafka knows it', async () => {
      expect(await failureOf(set('model'))).to.include('No offsets were changed');
    });
  });

  describe('and that is set by the model', () => {
    let answer: SetOffsets;

    before(async () => {
      await forget();
      answer = await set('model');
    });

    it('goes on an hour before the newest event with an outcome', () => {
      expect(answer.offsets).to.deep.equal(Array(partitions).fill(0));
    });

    it('delivers what had no outcome, and nothing that had one', async () => {
      await service.startRole('delivery');
      await receiver.received(8, 20_000);
      const ids = receiver.requests.map(({ headers }) => headers['webhook-id']);
      expect([ids.length, new Set(ids).size]).to.deep.equal([8, 8]);
    });
  });
});
