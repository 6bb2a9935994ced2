import { expect } from 'chai';

import { eventSchema } from '../../../../api/resources/events/routes.js';
import { deletedWebhookSchema, webhookListSchema } from '../../../../api/resources/webhooks/schemas.js';
import { eventually } from '../../../support/eventually.js';
import { startReceiver } from '../../../support/receiver.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { read, refusalOf, type Client } from '../../support/client.js';
import { begunAfter } from '../../support/deliveries.js';
import { postEvent } from '../../support/events.js';
import { createWebhook, webhookIdsOf } from '../../support/webhooks.js';

describe('GET /v1/webhooks and GET /v1/webhooks/{id}', () => {
  let account: TestAccount;
  let ids: readonly string[];
  before(async () => {
    account = await openAccount();
    const created: string[] = [];
    for (let number = 0; number < 2; number += 1) {
      created.unshift((await createWebhook(account.live)).id);
    }
    ids = created;
  });

  it('list webhooks newest first, without secrets', async () => {
    const { text } = await account.live.get('/v1/webhooks');
    expect(await webhookIdsOf(account.live)).to.deep.equal(ids);
    expect([text.includes('"secret"'), text.includes('whsec_')]).to.deep.equal([false, false]);
  });

  it('return pages, also beside a deleted webhook, and state whether there are more', async () => {
    const { live } = await openAccount();
    const newestFirst: string[] = [];
    for (let number = 0; number < 4; number += 1) {
      newestFirst.unshift((await createWebhook(live)).id);
    }
    const [newest, deleted, third, oldest] = newestFirst;
    await live.delete(`/v1/webhooks/${deleted}`);
    const pageOf = async (query: string) => {
      const { data, hasMore } = read(await live.get(`/v1/webhooks${query}`), webhookListSchema);
      return [data.map(({ id }) => id), hasMore];
    };
    expect(await pageOf('?limit=2')).to.deep.equal([[newest, third], true]);
    expect(await pageOf('?limit=3')).to.deep.equal([[newest, third, oldest], false]);
    expect(await pageOf(`?limit=1&startingAfter=${deleted}`)).to.deep.equal([[third], true]);
    expect(await pageOf(`?limit=1&endingBefore=${deleted}`)).to.deep.equal([[newest], false]);
  });

  it('list the webhooks with a status', async () => {
    expect([
      await webhookIdsOf(account.live, '?status=active'),
      await webhookIdsOf(account.live, '?status=disabled'),
    ]).to.deep.equal([ids, []]);
  });

  it('validate the query', async () => {
    for (const [query, refusal] of [
      ['?status=deleted', '400 parameter_invalid status'],
      ['?status=active&status=disabled', '400 parameter_invalid status'],
      ['?type=a', '400 parameter_unknown type'],
      ['?limit=101', '400 parameter_invalid limit'],
      ['?startingAfter=wh_01HZZZZZZZZZZZZZZZZZZZZZZZ', '400 cursor_invalid startingAfter'],
      ['?endingBefore=x', '400 cursor_invalid endingBefore'],
    ] as const) {
      expect(refusalOf(await account.live.get(`/v1/webhooks${query}`))).to.equal(refusal);
    }
  });

  it('list no webhook of another account or of the other mode, which is no cursor either', async () => {
    const other = await openAccount();
    expect([await webhookIdsOf(other.live), await webhookIdsOf(account.test)]).to.deep.equal([[], []]);
    expect(refusalOf(await other.live.get(`/v1/webhooks?startingAfter=${ids[0]}`))).to.equal(
      '400 cursor_invalid startingAfter',
    );
  });
});

describe('DELETE /v1/webhooks/{id}', () => {
  let account: TestAccount;
  before(async () => {
    account = await openAccount();
  });

  it('returns the id, works once, also for two concurrent requests, and hides the webhook', async () => {
    const { id } = await createWebhook(account.live);
    const answers = await Promise.all([1, 2].map(() => account.live.delete(`/v1/webhooks/${id}`)));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 404]);
    const [deleted] = answers.filter(({ status }) => status === 200);
    expect(deleted && read(deleted, deletedWebhookSchema)).to.deep.equal({ id, deleted: true });
    const path = `/v1/webhooks/${id}`;
    const responses = [
      await account.live.get(path),
      await account.live.patchJson(path, {}),
      await account.live.postJson(`${path}/rotate-secret`, {}),
      await account.live.postJson(`${path}/test`, {}),
      await account.live.get(`${path}/attempts`),
      await account.live.get(`${path}/health`),
    ];
    expect(responses.map(refusalOf)).to.deep.equal(responses.map(() => '404 resource_missing'));
    expect(await webhookIdsOf(account.live)).to.deep.equal([]);
  });

  it('begins no attempt after its response, also if many events wait', async () => {
    // The receiver is so slow that the webhook has its maximum of attempts in flight, and all others wait.
    const receiver = await startReceiver((_request, response) => setTimeout(() => response.end(), 400));
    const { id } = await createWebhook(account.live, { url: receiver.url, events: ['late'] });
    const posted = await Promise.all(Array.from({ length: 80 }, () => postEvent(account.live, 'late')));
    await receiver.received(1);
    await account.live.delete(`/v1/webhooks/${id}`);
    const answeredAt = Date.now();
    await Promise.all(posted.map((event) => deliveryEnds(account.live, event.id)));
    expect(await begunAfter(account.live, receiver, answeredAt)).to.deep.equal([]);
  });
});

/** The deadline for the ends of many deliveries on a busy machine, in milliseconds. */
const endedMs = 45_000;

/** Waits until the one delivery of an event was made or canceled. */
async function deliveryEnds(client: Client, id: string): Promise<void> {
  await eventually(
    'the delivery ends',
    async () => {
      const [delivery] = read(await client.get(`/v1/events/${id}`), eventSchema).deliveries;
      return delivery?.status === 'delivered' || delivery?.status === 'canceled' ? true : null;
    },
    endedMs,
  );
}
