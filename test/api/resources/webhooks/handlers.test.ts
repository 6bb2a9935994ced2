import { expect } from 'chai';

import { webhookSchema, webhookWithSecretSchema } from '../../../../api/resources/webhooks/schemas.js';
import { isIdentifier } from '../../../../shared/domain/core/identifiers.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { read, refusalOf } from '../../support/client.js';
import { createWebhook } from '../../support/webhooks.js';

const url = 'https://example.com/hook';

describe('POST /v1/webhooks', () => {
  let account: TestAccount;
  before(async () => {
    account = await openAccount();
  });

  it('answers 201 with the webhook, its path and its secret', async () => {
    const response = await account.live.postJson('/v1/webhooks', { url, events: ['a', 'b.c'] });
    const { id, created, secret, secretInfo, ...webhook } = read(response, webhookWithSecretSchema);
    expect([response.status, response.headers.location, isIdentifier('wh', id)]).to.deep.equal([
      201,
      `/v1/webhooks/${id}`,
      true,
    ]);
    expect(webhook).to.deep.equal({
      tenantId: null,
      url,
      events: ['a', 'b.c'],
      description: null,
      name: null,
      mutedUntil: null,
      status: 'active',
      disabledReason: null,
      mode: 'live',
      signatureHeaderPrefix: null,
      format: null,
      timeoutSeconds: null,
      metadata: null,
      headers: null,
      auth: null,
      filter: null,
    });
    expect([secret.slice(0, 6), Buffer.from(secret.slice(6), 'base64').length]).to.deep.equal(['whsec_', 32]);
    expect(secretInfo).to.deep.equal({ last4: secret.slice(-4), created, previousExpiresAt: null });
  });

  it('stores all fields, and gives each webhook its own secret, which only the response shows', async () => {
    const fields = {
      description: 'é😀\u0000\n',
      name: 'Orders',
      signatureHeaderPrefix: 'svix',
      timeoutSeconds: 3,
      metadata: { 'a.b': '$x' },
    };
    const [first, second] = [await createWebhook(account.live, fields), await createWebhook(account.live)];
    const { secret, ...created } = first;
    expect(secret).not.to.equal(second.secret);
    expect(JSON.stringify(created)).not.to.contain(secret);
    const found = read(await account.live.get(`/v1/webhooks/${first.id}`), webhookSchema.strict());
    expect(found).to.deep.equal({ ...created, ...fields });
  });

  it('validates its body and its URL', async () => {
    for (const [body, refusal] of [
      [{ url, events: [] }, '400 parameter_invalid events'],
      [{ url: 'https://a:b@example.com', events: ['*'] }, '400 url_invalid url'],
    ] as const) {
      expect(refusalOf(await account.live.postJson('/v1/webhooks', body))).to.equal(refusal);
    }
  });
});
