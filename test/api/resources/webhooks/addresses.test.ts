import { expect } from 'chai';

import { webhookSchema } from '../../../../api/resources/webhooks/schemas.js';
import { openAccount } from '../../support/accounts.js';
import { startAnotherApi } from '../../support/anotherApi.js';
import { createClient, read, refusalOf, type Client } from '../../support/client.js';
import { createWebhook } from '../../support/webhooks.js';

describe('the URL check with production settings', () => {
  let client: Client;
  let path: string;
  before(async () => {
    const { service, liveKey } = await openAccount();
    const webhooks = { ...service.config.webhooks, allowHttp: false, allowPrivateAddresses: false };
    const api = await startAnotherApi({ ...service, config: { ...service.config, webhooks } });
    client = createClient(api.address, liveKey);
    path = `/v1/webhooks/${(await createWebhook(client)).id}`;
  });

  it('rejects private addresses for new and existing webhooks', async () => {
    for (const url of ['https://localhost/', 'https://0x7f000001/', 'https://[::ffff:127.0.0.1]/']) {
      const responses = [
        await client.postJson('/v1/webhooks', { url, events: ['*'] }),
        await client.patchJson(path, { url }),
      ];
      expect(responses.map(refusalOf), url).to.deep.equal([
        '400 url_not_allowed url',
        '400 url_not_allowed url',
      ]);
    }
  });

  it('rejects http: for new and existing webhooks', async () => {
    const url = 'http://example.com/hook';
    const responses = [
      await client.postJson('/v1/webhooks', { url, events: ['*'] }),
      await client.patchJson(path, { url }),
    ];
    expect(responses.map(refusalOf)).to.deep.equal(['400 url_invalid url', '400 url_invalid url']);
  });

  it('accepts a host name, whose addresses are checked at each connection', async () => {
    const url = 'https://private.example.com/hook';
    expect(read(await client.patchJson(path, { url }), webhookSchema).url).to.equal(url);
  });
});
