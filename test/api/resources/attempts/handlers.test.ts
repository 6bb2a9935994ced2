import { expect } from 'chai';

import { attemptListSchema } from '../../../../api/resources/attempts/routes.js';
import { identifierTime } from '../../../../shared/domain/core/identifiers.js';
import { failed, failedForGood, succeeded } from '../../../support/deliveryFacts.js';
import { eventually } from '../../../support/eventually.js';
import { secondsLater, testIdentifier } from '../../../support/facts.js';
import { startReceiver, type Receiver } from '../../../support/receiver.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { read, refusalOf, type Client } from '../../support/client.js';
import { appendDeliveries, newAttemptId } from '../../support/deliveries.js';
import { postEvent } from '../../support/events.js';
import { createWebhook } from '../../support/webhooks.js';

/** The attempts of a list, once it has at least this number. */
async function attemptsOf(client: Client, path: string, atLeast: number) {
  return eventually(`${atLeast} attempts`, async () => {
    const { data } = read(await client.get(path), attemptListSchema);
    return data.length >= atLeast ? data : null;
  });
}

/** The places of the listed attempts among all attempts of a test, from 1. */
async function placesOf(
  client: Client,
  path: string,
  attemptIds: readonly string[],
): Promise<readonly number[]> {
  return read(await client.get(path), attemptListSchema).data.map(({ id }) => attemptIds.indexOf(id) + 1);
}

describe('GET /v1/attempts', () => {
  const [one, other] = [testIdentifier('wh', 1), testIdentifier('wh', 2)];
  let account: TestAccount;
  let attemptIds: readonly string[];
  const listed = (query: string) => placesOf(account.live, `/v1/attempts?${query}`, attemptIds);
  before(async () => {
    account = await openAccount();
    const eventId = (await postEvent(account.live)).id;
    attemptIds = Array.from({ length: 4 }, newAttemptId).sort();
    const at = (number: number) => ({
      ...{ number, attemptId: attemptIds[number - 1] ?? '', attemptedAt: secondsLater(number) },
    });
    const timeout = { code: 'timeout', message: 'No response within 15 s' } as const;
    await appendDeliveries(account, eventId, [
      failed({ ...at(1), webhookId: one, eventType: 'order.completed', statusCode: 503 }),
      failed({ ...at(2), webhookId: other, eventType: 'order.item.added', statusCode: null, error: timeout }),
      succeeded({ ...at(3), webhookId: one, eventType: 'user.signup', statusCode: 204 }),
      failed({ ...at(4), webhookId: one, eventType: 'order.completed', statusCode: 500 }),
    ]);
    await attemptsOf(account.live, '/v1/attempts', 4);
  });

  const lists = [
    ['', [4, 3, 2, 1]],
    [`webhookId=${one}`, [4, 3, 1]],
    [`webhookId=${testIdentifier('wh', 3)}`, []],
    ['status=failed', [4, 2, 1]],
    ['status=succeeded', [3]],
    ['statusCode=503', [1]],
    ['statusCode=204', [3]],
    ['errorCode=timeout', [2]],
    ['errorCode=http_status', [4, 1]],
    ['type=order.*', [4, 2, 1]],
    ['type=order.completed&type=user.signup', [4, 3, 1]],
    [`webhookId=${one}&errorCode=http_status&statusCode=500`, [4]],
    [`createdGte=${secondsLater(2).toISOString()}&createdLt=${secondsLater(4).toISOString()}`, [3, 2]],
    ['limit=2', [4, 3]],
  ] as const;
  it('lists the attempts that pass all filters, newest first', async () => {
    for (const [query, places] of lists) {
      expect(await listed(query), query).to.deep.equal(places);
    }
  });

  it('continues behind a cursor', async () => {
    expect(await listed(`limit=2&startingAfter=${attemptIds[2]}`)).to.deep.equal([2, 1]);
  });

  it('lists no attempt of another account', async () => {
    const stranger = await openAccount();
    expect(await placesOf(stranger.live, '/v1/attempts', attemptIds)).to.deep.equal([]);
  });

  it('validates the query', async () => {
    for (const [query, refused] of [
      ['statusCode=99', '400 parameter_invalid statusCode'],
      [`startingAfter=${testIdentifier('att', 9)}`, '400 cursor_invalid startingAfter'],
    ] as const) {
      expect(refusalOf(await account.live.get(`/v1/attempts?${query}`))).to.equal(refused);
    }
  });
});

describe('the lists of attempts', () => {
  const elsewhere = testIdentifier('wh', 99);
  let account: TestAccount;
  let webhookId: string;
  let eventId: string;
  let attemptIds: readonly string[];

  // Five attempts of one event: four to the webhook, of which two are begun in one millisecond, and one to another.
  before(async () => {
    account = await openAccount();
    webhookId = (await createWebhook(account.live, { events: ['nothing.posted'] })).id;
    eventId = (await postEvent(account.live)).id;
    attemptIds = Array.from({ length: 5 }, newAttemptId).sort();
    const [first, second, third, fourth, fifth] = attemptIds;
    await appendDeliveries(account, eventId, [
      failed({ webhookId, attemptId: first ?? '', number: 1, attemptedAt: secondsLater(1) }),
      failed({ webhookId, attemptId: third ?? '', number: 3, attemptedAt: secondsLater(3) }),
      failed({ webhookId, attemptId: second ?? '', number: 2, attemptedAt: secondsLater(3) }),
      succeeded({ webhookId: elsewhere, attemptId: fifth ?? '', number: 5, attemptedAt: secondsLater(5) }),
      succeeded({ webhookId, attemptId: fourth ?? '', number: 4, attemptedAt: secondsLater(4) }),
    ]);
    await attemptsOf(account.live, `/v1/events/${eventId}/attempts`, 5);
  });

  const listed = (path: string) => placesOf(account.live, path, attemptIds);

  it('show the attempts newest first, by time and id, page by page', async () => {
    const [ofEvent, ofWebhook] = [`/v1/events/${eventId}/attempts`, `/v1/webhooks/${webhookId}/attempts`];
    for (const [path, places] of [
      [ofEvent, [5, 4, 3, 2, 1]],
      [`${ofEvent}?webhookId=${elsewhere}`, [5]],
      [`${ofEvent}?limit=1&startingAfter=${attemptIds[2]}`, [2]],
      [`${ofEvent}?limit=1&endingBefore=${attemptIds[1]}`, [3]],
      [ofWebhook, [4, 3, 2, 1]],
      [`${ofWebhook}?status=succeeded`, [4]],
      [`${ofWebhook}?status=failed`, [3, 2, 1]],
      [`${ofWebhook}?limit=1&startingAfter=${attemptIds[2]}`, [2]],
      [`${ofWebhook}?limit=1&endingBefore=${attemptIds[1]}`, [3]],
    ] as const) {
      expect(await listed(path), path).to.deep.equal(places);
    }
    for (const path of [ofEvent, ofWebhook]) {
      expect(read(await account.live.get(`${path}?limit=3`), attemptListSchema).hasMore).to.equal(true);
      const refused = await account.live.get(`${path}?startingAfter=${newAttemptId()}`);
      expect(refusalOf(refused)).to.equal('400 cursor_invalid startingAfter');
    }
    // The fifth attempt is not in the list of this webhook.
    const refused = await account.live.get(`${ofWebhook}?endingBefore=${attemptIds[4]}`);
    expect(refusalOf(refused)).to.equal('400 cursor_invalid endingBefore');
  });

  it('number the attempts of each delivery in the order of their records', async () => {
    const { data } = read(await account.live.get(`/v1/events/${eventId}/attempts`), attemptListSchema);

    expect(data.map(({ number }) => number)).to.deep.equal([1, 4, 2, 3, 1]);
  });

  it('validate the query and the id', async () => {
    for (const [path, refusal] of [
      ['webhooks/wh_1/attempts?status=delivered', '400 parameter_invalid status'],
      ['events/evt_1/attempts?webhookId=a&webhookId=b', '400 parameter_invalid webhookId'],
      ['events/evt_1/attempts?status=failed', '400 parameter_unknown status'],
      ['events/evt_1/attempts', '404 resource_missing'],
      ['webhooks/wh_1/attempts', '404 resource_missing'],
    ] as const) {
      expect(refusalOf(await account.live.get(`/v1/${path}`)), path).to.equal(refusal);
    }
  });

  it('show an attempt that was recorded twice once', async () => {
    const { id } = await postEvent(account.live);
    const attempt = failedForGood({ webhookId, attemptId: newAttemptId(), attemptedAt: secondsLater(1) });
    const last = succeeded({ webhookId, attemptId: newAttemptId(), attemptedAt: secondsLater(9), number: 9 });
    await appendDeliveries(account, id, [attempt, attempt]);
    await attemptsOf(account.live, `/v1/events/${id}/attempts`, 1);
    await appendDeliveries(account, id, [attempt, last]);
    const attempts = await attemptsOf(account.live, `/v1/events/${id}/attempts`, 2);

    expect(attempts.map(({ number }) => number)).to.deep.equal([2, 1]);
  });
});

describe('the representation of an attempt', () => {
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver((_request, response) => {
      response.writeHead(418, { 'x-served-by': 'receiver' }).end('short ☕');
    });
  });

  it('says that the request was repeated, and that the body is not whole', async () => {
    const account = await openAccount();
    const { id } = await postEvent(account.live);
    const note = { responseTruncated: true, requests: 2 };
    const webhookId = testIdentifier('wh');
    await appendDeliveries(account, id, [succeeded({ ...note, webhookId, attemptId: newAttemptId() })]);
    const [attempt] = await attemptsOf(account.live, `/v1/events/${id}/attempts`, 1);

    expect(attempt).to.include(note);
  });

  it('shows the request as the receiver got it, without the values of its signature, and the response', async () => {
    const { live } = await openAccount();
    const webhook = await createWebhook(live, { url: receiver.url });
    const event = await postEvent(live);
    const [received] = await receiver.received(1);
    const { connection: _connection, ...sent } = received?.headers ?? {};
    const [attempt] = await attemptsOf(live, `/v1/events/${event.id}/attempts`, 1);
    expect(attempt?.responseHeaders).to.include({ 'x-served-by': 'receiver' });
    const {
      id,
      attemptedAt,
      durationMs,
      responseHeaders: _received,
      ...rest
    } = attempt ?? expect.fail('there is no attempt');
    expect(rest).to.deep.equal({
      eventId: event.id,
      webhookId: webhook.id,
      number: 1,
      trigger: 'first',
      status: 'failed',
      statusCode: 418,
      error: { code: 'http_status', message: 'The receiver answered with 418' },
      url: receiver.url,
      requestHeaders: { ...sent, 'webhook-signature': 'v1,***' },
      responseBody: 'short ☕',
      responseTruncated: false,
      requests: 1,
    });
    expect(identifierTime(id).getTime()).to.be.at.most(new Date(attemptedAt).getTime() + durationMs + 50);
  });
});
