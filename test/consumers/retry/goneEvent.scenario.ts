import { expect } from 'chai';

import { openLogReader, type LogReader } from '../../api/support/records.js';
import { createClient, type Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { createOpened } from '../../support/opened.js';
import { startReceiver, type Receiver } from '../../support/receiver.js';
import { startService, type TestService } from '../../support/service.js';

const canceled = 'postrider.delivery.canceled';

/** An open delivery without its event, as after retention and a rebuild, or after an expiry at an unlucky moment. */
describe('a delivery of an expired event', () => {
  const opened = createOpened();
  let service: TestService;
  let client: Client;
  let receiver: Receiver;
  let log: LogReader;
  let retried: string;
  let resent: string;
  let requestsBefore: number;

  before(async () => {
    service = await startService({ POSTRIDER_RETRY_SCHEDULE: '6s' });
    opened.add('service', service.stop);
    log = await openLogReader(service, ['deliveries']);
    opened.add('log', log.close);
    client = createClient(service.address, (await service.createAccount()).liveKey);
    receiver = await startReceiver((request, response) => {
      response.writeHead(request.body.toString().includes('order.fails') ? 500 : 200).end();
    });
    opened.add('receiver', receiver.close);
    await client.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
    resent = await post('order.completed');
    await deliveryStatus(resent, 'delivered');
    retried = await post('order.fails');
    await deliveryStatus(retried, 'retrying');
    await service.stopRole('delivery');
    expect((await client.post(`/v1/events/${resent}/resend`, {})).status).to.equal(202);
    await remove(retried, resent);
    requestsBefore = receiver.requests.length;
    await service.startRole('delivery');
  });

  after(() => opened.releaseAll());

  const post = async (type: string) =>
    String((await client.post('/v1/events', { type, data: {} })).body['id']);

  const deliveryStatus = (id: string, wanted: string) =>
    eventually(`${id} to be ${wanted}`, async () => {
      const { body } = await client.get(`/v1/events/${id}`);
      const [delivery] = (body['deliveries'] ?? []) as readonly { readonly status: string }[];
      return delivery?.status === wanted ? true : null;
    });

  const remove = (...ids: readonly string[]) =>
    service.withStores(async ({ mongo: { database } }) => {
      const alias = await database
        .collection<{ _id: string; live: string }>('models')
        .findOne({ _id: 'events' });
      await database.collection<{ _id: string }>(alias?.live ?? '').deleteMany({ _id: { $in: [...ids] } });
    });

  /** The error in the last record of an event's delivery. */
  const endOf = (id: string) =>
    eventually(`the end of ${id}`, async () => {
      const records = await log.recordsOf('deliveries', id);
      const end = records.find(({ type }) => type === canceled);
      return end === undefined ? null : (JSON.parse(end.value) as { readonly error: unknown }).error;
    });

  const expired = { code: 'event_expired', message: 'The event was removed before it could be delivered' };

  it('is canceled with a reason if a retry was pending', async () => {
    expect(await endOf(retried)).to.deep.equal(expired);
  });

  it('is canceled with a reason if a resend was pending', async () => {
    expect(await endOf(resent)).to.deep.equal(expired);
  });

  it('sends nothing, and both events stay 404', async () => {
    await Promise.all([endOf(retried), endOf(resent)]);
    const statuses = await Promise.all(
      [retried, resent].map(async (id) => (await client.get(`/v1/events/${id}`)).status),
    );
    expect([receiver.requests.length - requestsBefore, statuses]).to.deep.equal([0, [404, 404]]);
  });
});
