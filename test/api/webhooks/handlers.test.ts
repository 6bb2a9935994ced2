import { expect } from 'chai';

import { eventSchema } from '../../../api/events/schemas.js';
import {
  deletedWebhookSchema,
  webhookListSchema,
  webhookSchema,
  webhookWithSecretSchema,
} from '../../../api/webhooks/schemas.js';
import { isIdentifier } from '../../../shared/domain/identifiers.js';
import { startReceiver } from '../../support/receiver.js';
import { openAccount, type TestAccount } from '../support/accounts.js';
import { read, refusalOf, type Client, type Response } from '../support/client.js';

const url = 'https://example.com/hook';

async function createWebhook(client: Client, fields: Readonly<Record<string, unknown>> = {}) {
  return read(await client.postJson('/v1/webhooks', { url, events: ['*'], ...fields }), webhookWithSecretSchema);
}

async function idsOf(client: Client, query = ''): Promise<readonly string[]> {
  return read(await client.get(`/v1/webhooks${query}`), webhookListSchema).data.map(({ id }) => id);
}

const manyTypes = (count: number) => Array.from({ length: count }, (_, number) => `type.${number}`);

const refusedBodies: readonly [what: string, body: unknown, refusal: string][] = [
  ['nothing', {}, '400 parameter_missing url'],
  ['no url', { events: ['*'] }, '400 parameter_missing url'],
  ['no events', { url }, '400 parameter_missing events'],
  ['a number for url', { url: 1, events: ['*'] }, '400 parameter_invalid url'],
  ['null for url', { url: null, events: ['*'] }, '400 parameter_invalid url'],
  ['an empty url', { url: '', events: ['*'] }, '400 url_invalid url'],
  ['a url of another scheme', { url: 'ftp://example.com', events: ['*'] }, '400 url_invalid url'],
  ['a url with credentials', { url: 'https://a:b@example.com', events: ['*'] }, '400 url_invalid url'],
  ['a url with a fragment', { url: 'https://example.com/#a', events: ['*'] }, '400 url_invalid url'],
  ['a url of 2,049 characters', { url: url.padEnd(2049, 'a'), events: ['*'] }, '400 url_invalid url'],
  ['a text for events', { url, events: '*' }, '400 parameter_invalid events'],
  ['an object for events', { url, events: { 0: '*' } }, '400 parameter_invalid events'],
  ['null for events', { url, events: null }, '400 parameter_invalid events'],
  ['empty events', { url, events: [] }, '400 parameter_invalid events'],
  ['101 events', { url, events: manyTypes(101) }, '400 parameter_invalid events'],
  ['* beside another type', { url, events: ['a', '*'] }, '400 parameter_invalid events'],
  ['* twice', { url, events: ['*', '*'] }, '400 parameter_invalid events'],
  ['a number among events', { url, events: ['a', 1] }, '400 parameter_invalid events[1]'],
  ['null among events', { url, events: [null] }, '400 parameter_invalid events[0]'],
  ['a list among events', { url, events: ['a', 'b', ['c']] }, '400 parameter_invalid events[2]'],
  ['a malformed type among events', { url, events: ['a', 'b', 'c..d'] }, '400 event_type_invalid events[2]'],
  ['an empty type among events', { url, events: [''] }, '400 event_type_invalid events[0]'],
  ['a pattern among events', { url, events: ['order.*'] }, '400 event_type_invalid events[0]'],
  ['a number for description', { url, events: ['*'], description: 1 }, '400 parameter_invalid description'],
  ['a very long description', { url, events: ['*'], description: 'a'.repeat(1001) }, '400 parameter_invalid description'],
  ['half a character in description', { url, events: ['*'], description: '\ud800' }, '400 parameter_invalid description'],
  ['a field too many', { url, events: ['*'], extra: 1 }, '400 parameter_unknown extra'],
  ['a secret of one’s own', { url, events: ['*'], secret: 'whsec_x' }, '400 parameter_unknown secret'],
  ['a status', { url, events: ['*'], status: 'active' }, '400 parameter_unknown status'],
];

describe('api/webhooks/handlers: creating', () => {
  let account: TestAccount;
  before(async () => {
    account = await openAccount();
  });

  it('answers 201 with the webhook', async () => {
    const response = await account.live.postJson('/v1/webhooks', { url, events: ['a', 'b.c'], description: 'first' });
    const { id, created, secret, ...webhook } = read(response, webhookWithSecretSchema);
    expect([response.status, webhook]).to.deep.equal([
      201,
      { url, events: ['a', 'b.c'], description: 'first', status: 'active', disabledReason: null, mode: 'live' },
    ]);
  });

  it('gives it an id of its own', async () => {
    expect(isIdentifier('wh', (await createWebhook(account.live)).id)).to.equal(true);
  });

  it('gives it a secret of 32 bytes', async () => {
    const { secret } = await createWebhook(account.live);
    expect([secret.slice(0, 6), Buffer.from(secret.slice(6), 'base64').length]).to.deep.equal(['whsec_', 32]);
  });

  it('gives each its own secret', async () => {
    const [first, second] = [await createWebhook(account.live), await createWebhook(account.live)];
    expect(first.secret).not.to.equal(second.secret);
  });

  it('says where it can be read', async () => {
    const response = await account.live.postJson('/v1/webhooks', { url, events: ['*'] });
    expect(response.headers.location).to.equal(`/v1/webhooks/${read(response, webhookWithSecretSchema).id}`);
  });

  for (const description of [null, '', 'a'.repeat(1000), 'é😀\u0000\n']) {
    it(`takes ${JSON.stringify(description)?.slice(0, 40)} for a description`, async () => {
      const { id } = await createWebhook(account.live, { description });
      expect(read(await account.live.get(`/v1/webhooks/${id}`), webhookSchema).description).to.equal(description);
    });
  }

  it('has null for a description where none is given', async () => {
    expect((await createWebhook(account.live)).description).to.equal(null);
  });

  it('takes 100 types', async () => {
    expect((await createWebhook(account.live, { events: manyTypes(100) })).events).to.deep.equal(manyTypes(100));
  });

  it('keeps the url as it was sent', async () => {
    const given = 'HTTPS://Example.COM:443/a/../b?c=%7e';
    const { id } = await createWebhook(account.live, { url: given });
    expect(read(await account.live.get(`/v1/webhooks/${id}`), webhookSchema).url).to.equal(given);
  });

  for (const [what, body, refusal] of refusedBodies) {
    it(`refuses ${what}`, async () => {
      expect(refusalOf(await account.live.postJson('/v1/webhooks', body))).to.equal(refusal);
    });
  }
});

describe('api/webhooks/handlers: the limit of 100', () => {
  /** A 503 says to try again: what counts is what comes of it in the end. */
  async function createUntilAnswered(client: Client): Promise<Response> {
    const response = await client.postJson('/v1/webhooks', { url, events: ['*'] });
    return response.status === 503 ? createUntilAnswered(client) : response;
  }

  it('holds exactly where 110 are created at once, in each mode, until one is deleted', async function () {
    this.timeout(60_000);
    const account = await openAccount();
    const responses = await Promise.all(Array.from({ length: 110 }, () => createUntilAnswered(account.live)));
    const refused = responses.filter(({ status }) => status !== 201).map(refusalOf);
    expect(refused).to.deep.equal(Array.from({ length: 10 }, () => '400 webhook_limit_reached'));

    const ids = await idsOf(account.live);
    expect(ids.length).to.equal(100);

    expect((await createUntilAnswered(account.test)).status).to.equal(201);

    await account.live.delete(`/v1/webhooks/${ids[50]}`);
    expect((await createUntilAnswered(account.live)).status).to.equal(201);
    expect((await createUntilAnswered(account.live)).status).to.equal(400);
  });
});

describe('api/webhooks/handlers: retrieving and listing', () => {
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

  it('gives a webhook as it was created, without its secret', async () => {
    const { secret, ...created } = await createWebhook((await openAccount()).live);
    expect(JSON.stringify(created)).not.to.contain(secret);
  });

  it('gives what was created to a GET of its id', async () => {
    const fresh = await openAccount();
    const { secret: _secret, ...created } = await createWebhook(fresh.live, { events: ['a'] });
    expect(read(await fresh.live.get(`/v1/webhooks/${created.id}`), webhookSchema.strict())).to.deep.equal(created);
  });

  it('lists them newest first', async () => {
    expect(await idsOf(account.live)).to.deep.equal(ids);
  });

  it('shows no secret in a list', async () => {
    expect((await account.live.get('/v1/webhooks')).text).not.to.contain('secret');
  });

  it('gives a page behind a cursor', async () => {
    expect(await idsOf(account.live, `?limit=2&startingAfter=${ids[1]}`)).to.deep.equal(ids.slice(2, 4));
  });

  it('gives a page before a cursor', async () => {
    expect(await idsOf(account.live, `?limit=2&endingBefore=${ids[4]}`)).to.deep.equal(ids.slice(2, 4));
  });

  it('says whether there are more', async () => {
    const pages = await Promise.all(['?limit=4', '?limit=5'].map((query) => account.live.get(`/v1/webhooks${query}`)));
    expect(pages.map((page) => read(page, webhookListSchema).hasMore)).to.deep.equal([true, false]);
  });

  it('lists those of a status', async () => {
    expect([await idsOf(account.live, '?status=active'), await idsOf(account.live, '?status=disabled')]).to.deep.equal([
      ids,
      [],
    ]);
  });

  for (const [query, refusal] of [
    ['?status=deleted', '400 parameter_invalid status'],
    ['?status=', '400 parameter_invalid status'],
    ['?status=active&status=disabled', '400 parameter_invalid status'],
    ['?type=a', '400 parameter_unknown type'],
    ['?limit=101', '400 parameter_invalid limit'],
    ['?startingAfter=wh_01HZZZZZZZZZZZZZZZZZZZZZZZ', '400 cursor_invalid startingAfter'],
    ['?endingBefore=x', '400 cursor_invalid endingBefore'],
  ] as const) {
    it(`refuses ${query}`, async () => {
      expect(refusalOf(await account.live.get(`/v1/webhooks${query}`))).to.equal(refusal);
    });
  }

  it('lists none of another account', async () => {
    expect(await idsOf((await openAccount()).live)).to.deep.equal([]);
  });

  it('lists none of the other mode', async () => {
    expect(await idsOf(account.test)).to.deep.equal([]);
  });

  for (const id of ['wh_01HZZZZZZZZZZZZZZZZZZZZZZZ', 'wh_1', 'meta', 'evt_01HZZZZZZZZZZZZZZZZZZZZZZZ']) {
    it(`does not find ${id}`, async () => {
      expect(refusalOf(await account.live.get(`/v1/webhooks/${id}`))).to.equal('404 resource_missing');
    });

    it(`deletes no ${id}`, async () => {
      expect(refusalOf(await account.live.delete(`/v1/webhooks/${id}`))).to.equal('404 resource_missing');
    });
  }

  it('hides a webhook from another account and from the other mode', async () => {
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

  it('takes no webhook of another account for a cursor', async () => {
    const other = await openAccount();
    const response = await other.live.get(`/v1/webhooks?startingAfter=${ids[0]}`);
    expect(refusalOf(response)).to.equal('400 cursor_invalid startingAfter');
  });
});

describe('api/webhooks/handlers: deleting', () => {
  let account: TestAccount;
  before(async () => {
    account = await openAccount();
  });

  it('answers with the id', async () => {
    const { id } = await createWebhook(account.live);
    const response = await account.live.delete(`/v1/webhooks/${id}`);
    expect([response.status, read(response, deletedWebhookSchema)]).to.deep.equal([200, { id, deleted: true }]);
  });

  it('leaves nothing to retrieve', async () => {
    const { id } = await createWebhook(account.live);
    await account.live.delete(`/v1/webhooks/${id}`);
    expect(refusalOf(await account.live.get(`/v1/webhooks/${id}`))).to.equal('404 resource_missing');
  });

  it('leaves nothing to list', async () => {
    const fresh = await openAccount();
    const { id } = await createWebhook(fresh.live);
    await fresh.live.delete(`/v1/webhooks/${id}`);
    expect(await idsOf(fresh.live)).to.deep.equal([]);
  });

  it('works once, also where it is asked for twice at the same time', async () => {
    const { id } = await createWebhook(account.live);
    const answers = await Promise.all([1, 2].map(() => account.live.delete(`/v1/webhooks/${id}`)));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 404]);
  });

  it('leaves the id a valid cursor, at its place', async () => {
    const fresh = await openAccount();
    const created = [await createWebhook(fresh.live), await createWebhook(fresh.live), await createWebhook(fresh.live)];
    const [oldest, middle, newest] = created.map(({ id }) => id);
    await fresh.live.delete(`/v1/webhooks/${middle}`);
    expect([
      await idsOf(fresh.live, `?startingAfter=${middle}`),
      await idsOf(fresh.live, `?endingBefore=${middle}`),
    ]).to.deep.equal([[oldest], [newest]]);
  });

  it('keeps events that are posted after the answer from it', async () => {
    const [deleted, kept] = [await startReceiver(), await startReceiver()];
    try {
      const { id } = await createWebhook(account.live, { url: deleted.url, events: ['late'] });
      await createWebhook(account.live, { url: kept.url, events: ['late'] });
      await account.live.delete(`/v1/webhooks/${id}`);
      read(await account.live.postJson('/v1/events', { type: 'late', data: {} }), eventSchema);
      await kept.received(1);
      expect(deleted.requests.length).to.equal(0);
    } finally {
      await Promise.all([deleted.close(), kept.close()]);
    }
  });
});
