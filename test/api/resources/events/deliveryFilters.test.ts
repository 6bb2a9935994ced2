import { expect } from 'chai';

import { eventSchema } from '../../../../api/resources/events/routes.js';
import { eventually } from '../../../support/eventually.js';
import { startReceiver } from '../../../support/receiver.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { read } from '../../support/client.js';
import { eventIdsOf, postEvent } from '../../support/events.js';
import { createWebhook } from '../../support/webhooks.js';

describe('the filters by delivery of GET /v1/events', () => {
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
    const refusing = await startReceiver((_request, response) => {
      response.writeHead(500).end();
    });
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

  it('select the events of which one delivery passes all filters', async () => {
    for (const [query, expected] of [
      [`webhookId=${takesSome}`, [one]],
      [`webhookId=${takesAll}`, [one, both]],
      [`deliveryStatus=${statusOfRefused}`, [both]],
      ['deliveryStatus=canceled&deliveryStatus=delivered', [one, both]],
      ['statusCode=500', [both]],
      ['errorCode=http_status', [both]],
      [`webhookId=${refusesAll}&statusCode=500&errorCode=http_status`, [both]],
      [`webhookId=${takesAll}&statusCode=500`, []],
      ['deliveryStatus=delivered&statusCode=500', []],
      ['statusCode=200&type=one', [one]],
      ['webhookId=wh_01HZZZZZZZZZZZZZZZZZZZZZZZ', []],
      [`webhookId=${refusesAll}&startingAfter=${one}`, [both]],
      [`webhookId=${takesAll}&endingBefore=${nobodys}`, [one, both]],
    ] as const) {
      const ids = await eventIdsOf(account.live, `?${query}`);
      expect([...ids].sort(), query).to.deep.equal([...expected].sort());
    }
  });

  it('select nothing if the webhook belongs to another account', async () => {
    const other = await openAccount();
    expect(await eventIdsOf(other.live, `?webhookId=${takesAll}`)).to.deep.equal([]);
  });

  it('select the events of a deleted webhook, by the last attempt and by the error of the cancellation', async () => {
    const refusing = await startReceiver((_request, response) => {
      response.writeHead(503).end();
    });
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
});
