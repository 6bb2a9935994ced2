import { expect } from 'chai';

import { eventSchema } from '../../../../api/resources/events/routes.js';
import {
  deletedWebhookSchema,
  webhookListSchema,
  webhookSchema,
} from '../../../../api/resources/webhooks/schemas.js';
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
    for (let number = 0; number < 5; number += 1) {
      created.unshift((await createWebhook(account.live)).id);
    }
    ids = created;
  });

  it('never return the secret with the other fields', async () => {
    const { secret, ...created } = await createWebhook((await openAccount()).live);
    expect(JSON.stringify(created)).not.to.contain(secret);
  });

  it('return a webhook in the form of its creation', async () => {
    const fresh = await openAccount();
    const { secret: _secret, ...created } = await createWebhook(fresh.live, { events: ['a'] });
    expect(read(await fresh.live.get(`/v1/webhooks/${created.id}`), webhookSchema.strict())).to.deep.equal(
      created,
    );
  });

  it('list webhooks newest first', async () => {
    expect(await webhookIdsOf(account.live)).to.deep.equal(ids);
  });

  it('show no secret in a list', async () => {
    const { text } = await account.live.get('/v1/webhooks');
    expect([text.includes('"secret"'), text.includes('whsec_')]).to.deep.equal([false, false]);
  });

  it('return a page after a cursor', async () => {
    expect(await webhookIdsOf(account.live, `?limit=2&startingAfter=${ids[1]}`)).to.deep.equal(
      ids.slice(2, 4),
    );
  });

  it('return a page before a cursor', async () => {
    expect(await webhookIdsOf(account.live, `?limit=2&endingBefore=${ids[4]}`)).to.deep.equal(
      ids.slice(2, 4),
    );
  });

  it('state whether there are more pages', async () => {
    const pages = await Promise.all(
      ['?limit=4', '?limit=5'].map((query) => account.live.get(`/v1/webhooks${query}`)),
    );
    expect(pages.map((page) => read(page, webhookListSchema).hasMore)).to.deep.equal([true, false]);
  });

  it('list the webhooks with a status', async () => {
    expect([
      await webhookIdsOf(account.live, '?status=active'),
      await webhookIdsOf(account.live, '?status=disabled'),
    ]).to.deep.equal([ids, []]);
  });

  for (const [query, apiError] of [
    ['?status=deleted', '400 parameter_invalid status'],
    ['?status=', '400 parameter_invalid status'],
    ['?status=active&status=disabled', '400 parameter_invalid status'],
    ['?type=a', '400 parameter_unknown type'],
    ['?limit=101', '400 parameter_invalid limit'],
    ['?startingAfter=wh_01HZZZZZZZZZZZZZZZZZZZZZZZ', '400 cursor_invalid startingAfter'],
    ['?endingBefore=x', '400 cursor_invalid endingBefore'],
  ] as const) {
    it(`reject ${query}`, async () => {
      expect(refusalOf(await account.live.get(`/v1/webhooks${query}`))).to.equal(apiError);
    });
  }

  it('list no webhooks of another account', async () => {
    expect(await webhookIdsOf((await openAccount()).live)).to.deep.equal([]);
  });

  it('list no webhooks of the other mode', async () => {
    expect(await webhookIdsOf(account.test)).to.deep.equal([]);
  });

  for (const id of ['wh_01HZZZZZZZZZZZZZZZZZZZZZZZ', 'wh_1', 'meta', 'evt_01HZZZZZZZZZZZZZZZZZZZZZZZ']) {
    it(`answer 404 for ${id}`, async () => {
      expect(refusalOf(await account.live.get(`/v1/webhooks/${id}`))).to.equal('404 resource_missing');
    });

    it(`answer 404 to a DELETE of ${id}`, async () => {
      expect(refusalOf(await account.live.delete(`/v1/webhooks/${id}`))).to.equal('404 resource_missing');
    });
  }

  it('hide a webhook from another account and from the other mode', async () => {
    const other = await openAccount();
    const answers = [
      await other.live.get(`/v1/webhooks/${ids[0]}`),
      await account.test.get(`/v1/webhooks/${ids[0]}`),
      await other.live.delete(`/v1/webhooks/${ids[0]}`),
      await account.test.delete(`/v1/webhooks/${ids[0]}`),
      await account.live.get(`/v1/webhooks/${ids[0]}`),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([404, 404, 404, 404, 200]);
  });

  it('reject a webhook of another account as a cursor', async () => {
    const other = await openAccount();
    const response = await other.live.get(`/v1/webhooks?startingAfter=${ids[0]}`);
    expect(refusalOf(response)).to.equal('400 cursor_invalid startingAfter');
  });
});

describe('DELETE /v1/webhooks/{id}', () => {
  let account: TestAccount;
  before(async () => {
    account = await openAccount();
  });

  it('returns the id', async () => {
    const { id } = await createWebhook(account.live);
    const response = await account.live.delete(`/v1/webhooks/${id}`);
    expect([response.status, read(response, deletedWebhookSchema)]).to.deep.equal([
      200,
      { id, deleted: true },
    ]);
  });

  it('makes the webhook unavailable to GET', async () => {
    const { id } = await createWebhook(account.live);
    await account.live.delete(`/v1/webhooks/${id}`);
    expect(refusalOf(await account.live.get(`/v1/webhooks/${id}`))).to.equal('404 resource_missing');
  });

  it('removes the webhook from the list', async () => {
    const fresh = await openAccount();
    const { id } = await createWebhook(fresh.live);
    await fresh.live.delete(`/v1/webhooks/${id}`);
    expect(await webhookIdsOf(fresh.live)).to.deep.equal([]);
  });

  it('works once, also for two concurrent requests', async () => {
    const { id } = await createWebhook(account.live);
    const answers = await Promise.all([1, 2].map(() => account.live.delete(`/v1/webhooks/${id}`)));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 404]);
  });

  it('keeps the id a valid cursor at its place', async () => {
    const fresh = await openAccount();
    const created = [
      await createWebhook(fresh.live),
      await createWebhook(fresh.live),
      await createWebhook(fresh.live),
    ];
    const [oldest, middle, newest] = created.map(({ id }) => id);
    await fresh.live.delete(`/v1/webhooks/${middle}`);
    expect([
      await webhookIdsOf(fresh.live, `?startingAfter=${middle}`),
      await webhookIdsOf(fresh.live, `?endingBefore=${middle}`),
    ]).to.deep.equal([[oldest], [newest]]);
  });

  it('begins no attempt after its response, also if hundreds of events wait', async () => {
    // The receiver is so slow that the webhook has its maximum of attempts in flight, and all others wait.
    const receiver = await startReceiver((_request, response) => setTimeout(() => response.end(), 400));
    try {
      const { id } = await createWebhook(account.live, { url: receiver.url, events: ['late'] });
      const posted = await Promise.all(Array.from({ length: 250 }, () => postEvent(account.live, 'late')));
      await receiver.received(1);
      await account.live.delete(`/v1/webhooks/${id}`);
      const answeredAt = Date.now();
      await Promise.all(posted.map((event) => deliveryEnds(account.live, event.id)));
      expect(await begunAfter(account.live, receiver, answeredAt)).to.deep.equal([]);
    } finally {
      await receiver.close();
    }
  });
});

/** The deadline for the ends of hundreds of deliveries on a busy machine, in milliseconds. */
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
