import { expect } from 'chai';

import { webhookSchema, webhookWithSecretSchema } from '../../../../api/resources/webhooks/schemas.js';
import { isIdentifier } from '../../../../shared/domain/core/identifiers.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { read, refusalOf } from '../../support/client.js';
import { createWebhook } from '../../support/webhooks.js';

const url = 'https://example.com/hook';

const manyTypes = (count: number) => Array.from({ length: count }, (_, number) => `type.${number}`);

const refusedBodies: readonly [what: string, body: unknown, apiError: string][] = [
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
  ['* with another type', { url, events: ['a', '*'] }, '400 parameter_invalid events'],
  ['* twice', { url, events: ['*', '*'] }, '400 parameter_invalid events'],
  ['a number among events', { url, events: ['a', 1] }, '400 parameter_invalid events[1]'],
  ['null among events', { url, events: [null] }, '400 parameter_invalid events[0]'],
  ['a list among events', { url, events: ['a', 'b', ['c']] }, '400 parameter_invalid events[2]'],
  ['a malformed type among events', { url, events: ['a', 'b', 'c..d'] }, '400 event_type_invalid events[2]'],
  ['an empty type among events', { url, events: [''] }, '400 event_type_invalid events[0]'],
  ['a pattern without a dot', { url, events: ['order*'] }, '400 event_type_invalid events[0]'],
  ['a pattern with a type behind it', { url, events: ['order.*.added'] }, '400 event_type_invalid events[0]'],
  ['a pattern at the beginning', { url, events: ['*.completed'] }, '400 event_type_invalid events[0]'],
  ['a number for description', { url, events: ['*'], description: 1 }, '400 parameter_invalid description'],
  [
    'a very long description',
    { url, events: ['*'], description: 'a'.repeat(1001) },
    '400 parameter_invalid description',
  ],
  [
    'half a character in description',
    { url, events: ['*'], description: '\ud800' },
    '400 parameter_invalid description',
  ],
  ['a field too many', { url, events: ['*'], extra: 1 }, '400 parameter_unknown extra'],
  ['a number for name', { url, events: ['*'], name: 1 }, '400 parameter_invalid name'],
  ['a name of 101 characters', { url, events: ['*'], name: 'a'.repeat(101) }, '400 parameter_invalid name'],
  [
    'a time until which it is muted',
    { url, events: ['*'], mutedUntil: null },
    '400 parameter_unknown mutedUntil',
  ],
  ['a given secret', { url, events: ['*'], secret: 'whsec_x' }, '400 parameter_unknown secret'],
  ['a status', { url, events: ['*'], status: 'active' }, '400 parameter_unknown status'],
];

describe('POST /v1/webhooks', () => {
  let account: TestAccount;
  before(async () => {
    account = await openAccount();
  });

  it('answers 201 with the webhook', async () => {
    const response = await account.live.postJson('/v1/webhooks', {
      url,
      events: ['a', 'b.c'],
      description: 'first',
    });
    const { id, created, secret, secretInfo, ...webhook } = read(response, webhookWithSecretSchema);
    expect([response.status, webhook]).to.deep.equal([
      201,
      {
        tenantId: null,
        url,
        events: ['a', 'b.c'],
        description: 'first',
        name: null,
        mutedUntil: null,
        status: 'active',
        disabledReason: null,
        mode: 'live',
        signatureHeaderPrefix: null,
        timeoutSeconds: null,
        metadata: null,
        filter: null,
      },
    ]);
  });

  it('gives the webhook a name', async () => {
    expect((await createWebhook(account.live, { name: 'Orders' })).name).to.equal('Orders');
  });

  it('shows the end and the age of the secret', async () => {
    const { secret, secretInfo, created } = await createWebhook(account.live);
    expect(secretInfo).to.deep.equal({ last4: secret.slice(-4), created, previousExpiresAt: null });
  });

  it('gives the webhook a new id', async () => {
    expect(isIdentifier('wh', (await createWebhook(account.live)).id)).to.equal(true);
  });

  it('gives the webhook a secret of 32 bytes', async () => {
    const { secret } = await createWebhook(account.live);
    expect([secret.slice(0, 6), Buffer.from(secret.slice(6), 'base64').length]).to.deep.equal(['whsec_', 32]);
  });

  it('gives each webhook its own secret', async () => {
    const [first, second] = [await createWebhook(account.live), await createWebhook(account.live)];
    expect(first.secret).not.to.equal(second.secret);
  });

  it('returns the path of the webhook', async () => {
    const response = await account.live.postJson('/v1/webhooks', { url, events: ['*'] });
    expect(response.headers.location).to.equal(`/v1/webhooks/${read(response, webhookWithSecretSchema).id}`);
  });

  for (const description of [null, '', 'a'.repeat(1000), 'é😀\u0000\n']) {
    it(`accepts the description ${JSON.stringify(description).slice(0, 40)}`, async () => {
      const { id } = await createWebhook(account.live, { description });
      expect(read(await account.live.get(`/v1/webhooks/${id}`), webhookSchema).description).to.equal(
        description,
      );
    });
  }

  it('has the description null by default', async () => {
    expect((await createWebhook(account.live)).description).to.equal(null);
  });

  it('accepts 100 event types', async () => {
    expect((await createWebhook(account.live, { events: manyTypes(100) })).events).to.deep.equal(
      manyTypes(100),
    );
  });

  for (const [what, body, apiError] of refusedBodies) {
    it(`rejects ${what}`, async () => {
      expect(refusalOf(await account.live.postJson('/v1/webhooks', body))).to.equal(apiError);
    });
  }
});
