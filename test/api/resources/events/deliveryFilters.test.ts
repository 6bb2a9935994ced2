import { expect } from 'chai';

import { eventSchema } from '../../../../api/resources/events/routes.js';
import { eventually } from '../../../support/eventually.js';
import { createOpened } from '../../../support/opened.js';
import { startReceiver } from '../../../support/receiver.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { read } from '../../support/client.js';
import { eventIdsOf, postEvent } from '../../support/events.js';
import { createWebhook } from '../../support/webhooks.js';

describe('the filters by delivery of GET /v1/events', () => {
  const opened = createOpened();
  let account: TestAccount;
  let takesAll: string;
  let refusesAll: string;
  let takesSome: string;
  let statusOfRefused: string;
  let both: string;
  let one: string;
  let nobodys: string;

  /** The statuses of an event's deliveries by webhook, once it has this number of deliveries, each with an attempt. */
  const statusesOf = async (id: string, count: number) =>
    eventually(`${count} deliveries`, async () => {
      const { deliveries } = read(await account.live.get(`/v1/events/${id}`), eventSchema);
      return deliveries.length < count || deliveries.some(({ status }) => status === 'pending')
        ? null
        : new Map(deliveries.map(({ webhookId, status }) => [webhookId, status]));
    });

  before(async () => {
    account = await openAccount();
    const taking = await startReceiver();
    opened.add('receiver', taking.close);
    const refusing = await startReceiver((_request, response) => {
      response.writeHead(500).end();
    });
    opened.add('failing receiver', refusing.close);
    const listenTo = async (url: string, ...events: string[]) =>
      (await createWebhook(account.live, { url, events })).id;
    takesAll = await listenTo(taking.url, 'both', 'one');
    refusesAll = await listenTo(refusing.url, 'both');
    takesSome = await listenTo(taking.url, 'one');
    nobodys = (await postEvent(account.live, 'nobodys')).id;
    both = (await postEvent(account.live, 'both')).id;
    one = (await postEvent(account.live, 'one')).id;
    await statusesOf(one, 2);
    statusOfRefused = (await statusesOf(both, 2)).get(refusesAll) ?? '';
    await eventIdsOf(account.live, '', 3);
  });
  after(() => opened.releaseAll());

  /** The filters, with the events that each of them selects. */
  const cases: readonly [what: string, query: () => string, expected: () => readonly string[]][] = [
    ['to a webhook', () => `webhookId=${takesSome}`, () => [one]],
    ['to a webhook with several events', () => `webhookId=${takesAll}`, () => [one, both]],
    ['in a status', () => 'deliveryStatus=delivered', () => [one, both]],
    ['in another status', () => `deliveryStatus=${statusOfRefused}`, () => [both]],
    ['in a status without deliveries', () => 'deliveryStatus=canceled', () => []],
    ['to a webhook in a status', () => `webhookId=${takesAll}&deliveryStatus=delivered`, () => [one, both]],
    [
      'to a webhook in a status of other webhooks alone',
      () => `webhookId=${refusesAll}&deliveryStatus=delivered`,
      () => [],
    ],
    [
      'in one of several statuses',
      () => 'deliveryStatus=canceled&deliveryStatus=delivered',
      () => [one, both],
    ],
    ['whose last attempt got a status code', () => 'statusCode=500', () => [both]],
    ['whose last attempt got another status code', () => 'statusCode=200', () => [one, both]],
    ['with a status code that no attempt got', () => 'statusCode=201', () => []],
    ['whose last attempt failed with an error', () => 'errorCode=http_status', () => [both]],
    ['with an error of no attempt', () => 'errorCode=timeout', () => []],
    [
      'to a webhook with a status code and an error',
      () => `webhookId=${refusesAll}&statusCode=500&errorCode=http_status`,
      () => [both],
    ],
    [
      'that has the status code, if another one is to the webhook',
      () => `webhookId=${takesAll}&statusCode=500`,
      () => [],
    ],
    [
      'that has the status code, if another one has the status',
      () => 'deliveryStatus=delivered&statusCode=500',
      () => [],
    ],
    ['with a status code, of a type', () => 'statusCode=200&type=one', () => [one]],
    ['to a webhook, of a type', () => `webhookId=${takesAll}&type=both`, () => [both]],
    ['to a webhook, of types that no event has', () => `webhookId=${takesAll}&type=none.*`, () => []],
    ['in a status, of a type', () => 'deliveryStatus=delivered&type=one', () => [one]],
    ['to an unknown webhook', () => 'webhookId=wh_01HZZZZZZZZZZZZZZZZZZZZZZZ', () => []],
    ['to a webhook, after a cursor', () => `webhookId=${takesAll}&startingAfter=${one}`, () => [both]],
    ['to a webhook, before a cursor', () => `webhookId=${takesAll}&endingBefore=${both}`, () => [one]],
    [
      'to a webhook, after a cursor outside of the selection',
      () => `webhookId=${refusesAll}&startingAfter=${one}`,
      () => [both],
    ],
    [
      'to a webhook, before a cursor outside of the selection',
      () => `webhookId=${takesAll}&endingBefore=${nobodys}`,
      () => [one, both],
    ],
  ];
  for (const [what, query, expected] of cases) {
    it(`select the events with a delivery ${what}`, async () => {
      const ids = await eventIdsOf(account.live, `?${query()}`);
      expect([...ids].sort()).to.deep.equal([...expected()].sort());
    });
  }

  it('select nothing if the webhook belongs to another account', async () => {
    const other = await openAccount();
    expect(await eventIdsOf(other.live, `?webhookId=${takesAll}`)).to.deep.equal([]);
  });

  it('select the events of a delivery that was canceled, by its last attempt and by its own error', async () => {
    const refusing = await startReceiver((_request, response) => {
      response.writeHead(503).end();
    });
    opened.add('another failing receiver', refusing.close);
    const { id } = await createWebhook(account.live, { url: refusing.url, events: ['canceled'] });
    const event = await postEvent(account.live, 'canceled');
    await statusesOf(event.id, 1);
    await account.live.delete(`/v1/webhooks/${id}`);
    await eventIdsOf(account.live, '?errorCode=webhook_deleted', 1);
    const lists = ['errorCode=webhook_deleted', 'errorCode=http_status', 'statusCode=503'].map((query) =>
      eventIdsOf(account.live, `?webhookId=${id}&${query}`),
    );
    expect(await Promise.all(lists)).to.deep.equal([[event.id], [event.id], [event.id]]);
  });

  it('select the events of a deleted webhook', async () => {
    const { id } = await createWebhook(account.live, { url: 'http://127.0.0.1:1/', events: ['deleted'] });
    const event = await postEvent(account.live, 'deleted');
    await statusesOf(event.id, 1);
    await account.live.delete(`/v1/webhooks/${id}`);
    expect(await eventIdsOf(account.live, `?webhookId=${id}`)).to.deep.equal([event.id]);
  });
});
