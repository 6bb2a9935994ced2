import { expect } from 'chai';

import { createIdentifiers } from '../../shared/domain/core/identifiers.js';
import { encodeEvent } from '../../shared/log/records/events.js';
import { createClient, type Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { runProgram } from '../support/program.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { startService, type TestService } from '../support/service.js';

interface CheckedModel {
  readonly model: string;
  readonly expired: number;
  readonly differing: number;
}

const hourMs = 60 * 60 * 1000;
const { create } = createIdentifiers(Math.random);

/** The age of an event follows from its id, so an event of another producer may be old at its append. */
describe('an expired event', () => {
  let service: TestService;
  let client: Client;
  let accountId: string;
  let receiver: Receiver;
  let webhookId: string;
  let expired: string;
  let open: string;
  let failingWebhookId: string;
  let young: string;

  before(async () => {
    service = await startService({ POSTRIDER_EVENT_EXPIRY: '1h', POSTRIDER_RETRY_SCHEDULE: '1h' });
    const account = await service.createAccount();
    accountId = account.id;
    client = createClient(service.address, account.liveKey);
    receiver = await startReceiver();
    const webhook = await client.post('/v1/webhooks', { url: receiver.url, events: ['order.completed'] });
    webhookId = String(webhook.body['id']);
    const failing = await startReceiver((_request, response) => response.writeHead(500).end());
    const other = await client.post('/v1/webhooks', { url: failing.url, events: ['order.open'] });
    failingWebhookId = String(other.body['id']);
    open = await append('order.open', 4);
    await failing.received(1);
    await deliveryStatus(open, 'retrying');
    expired = await append('order.completed', 3);
    const [request] = await receiver.received(1);
    expect(request?.headers['webhook-id']).to.equal(expired);
    young = String((await client.post('/v1/events', { type: 'order.completed', data: {} })).body['id']);
    await receiver.received(2);
    await status(expired, 404);
  });

  const append = async (type: string, ageHours: number): Promise<string> => {
    const created = new Date(Date.now() - ageHours * hourMs);
    const id = create('evt', created);
    const event = { id, accountId, type, created, data: Buffer.from('{}') };
    const record = encodeEvent({ ...event, mode: 'live', onlyWebhookId: null, tenantId: null });
    await service.withStores(({ log }) => log.append(record));
    return id;
  };

  const status = (id: string, wanted: number) =>
    eventually(`${id} to be a ${wanted}`, async () =>
      (await client.get(`/v1/events/${id}`)).status === wanted ? true : null,
    );

  const ids = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) =>
    (body['data'] as readonly { readonly id: string }[]).map(({ id }) => id);

  const attemptIds = async () => ids(await client.get(`/v1/webhooks/${webhookId}/attempts`));

  const deliveryStatus = (id: string, wanted: string) =>
    eventually(`${id} to be ${wanted}`, async () => {
      const { body } = await client.get(`/v1/events/${id}`);
      const [delivery] = (body['deliveries'] ?? []) as readonly { readonly status: string }[];
      return delivery?.status === wanted ? true : null;
    });

  it('is not listed, unlike newer events and events with open deliveries', async () => {
    expect(ids(await client.get('/v1/events'))).to.deep.equal([young, open]);
  });

  it('is removed with its attempts', async () => {
    const left = await eventually('its attempts to be gone', async () => {
      const found = await attemptIds();
      return found.length === 1 ? found : null;
    });
    expect([left.length, (await client.get(`/v1/events/${young}/attempts`)).status]).to.deep.equal([1, 200]);
  });

  it('is no difference in a comparison with the log, which still contains it', async () => {
    await eventually('its attempts to be gone', async () =>
      (await attemptIds()).length === 1 ? true : null,
    );
    const check = ['rebuild', 'events', 'attempts', '--check', '--json'];
    const { code, stdout } = await runProgram(service.settings, ...check);
    const { models } = JSON.parse(stdout) as { readonly models: readonly CheckedModel[] };

    expect([code, models.map(({ model, expired, differing }) => [model, expired, differing])]).to.deep.equal([
      0,
      [
        ['events', 1, 0],
        ['attempts', 1, 0],
      ],
    ]);
  });

  it('leads to 404 for its attempts and for a resend', async () => {
    const attempts = await client.get(`/v1/events/${expired}/attempts`);
    const resend = await client.post(`/v1/events/${expired}/resend`, {});
    expect([attempts.status, resend.status]).to.deep.equal([404, 404]);
  });

  it('stays a valid cursor of the list', async () => {
    const older = await client.get(`/v1/events?startingAfter=${expired}`);
    const younger = await client.get(`/v1/events?endingBefore=${expired}`);
    expect([older.status, ids(older), ids(younger)]).to.deep.equal([200, [open], [young]]);
  });

  it('leaves the ids of its attempts as valid cursors of the webhook’s list', async () => {
    const gone = create('att', new Date(Date.now() - 2 * hourMs));
    const newer = await client.get(`/v1/webhooks/${webhookId}/attempts?endingBefore=${gone}`);
    expect([newer.status, ids(newer).length]).to.deep.equal([200, 1]);
  });

  it('is distinguished from an unknown id that is too recent to have expired', async () => {
    const { status: code, body } = await client.get(`/v1/events?startingAfter=${create('evt', new Date())}`);
    expect([code, (body['error'] as { readonly code: string }).code]).to.deep.equal([400, 'cursor_invalid']);
  });

  it('stays in the statistics', async () => {
    const from = new Date(Date.now() - 5 * hourMs).toISOString();
    const to = new Date(Date.now() + hourMs).toISOString();
    const { body } = await client.get(`/v1/stats/deliveries?bucket=hour&from=${from}&to=${to}`);
    const buckets = body['data'] as readonly { readonly events: number; readonly succeeded: number }[];
    const sum = (pick: (bucket: (typeof buckets)[number]) => number) =>
      buckets.reduce((total, bucket) => total + pick(bucket), 0);
    expect([sum(({ events }) => events), sum(({ succeeded }) => succeeded)]).to.deep.equal([3, 2]);
  });

  it('is removed only after its last open delivery has ended', async () => {
    const whileOpen = (await client.get(`/v1/events/${open}`)).status;
    await client.delete(`/v1/webhooks/${failingWebhookId}`);
    await status(open, 404);
    expect(whileOpen).to.equal(200);
  });
});
