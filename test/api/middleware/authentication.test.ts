import { randomBytes } from 'node:crypto';

import { expect } from 'chai';

import { apiKeySecret, apiKeySecretBytes } from '../../../shared/domain/accounts/apiKey.js';
import { eventually } from '../../support/eventually.js';
import { addApiKey, openAccount, type TestAccount } from '../support/accounts.js';
import { call, createClient, errorOf, refusalOf } from '../support/client.js';
import { fromNewAddress } from '../support/signedInUsers.js';

const missing = [
  '',
  'Bearer',
  'Bearer ',
  'Basic c2tfbGl2ZV94Og==',
  'Digest username="x"',
  'Bearersk_live_x',
  'sk_live_x',
];

const invalid: readonly [what: string, write: (key: string) => string][] = [
  ['an unknown key', () => 'sk_live_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
  ['a key without its last character', (key) => key.slice(0, -1)],
  ['a key with a character more', (key) => `${key}A`],
  ['a key with the prefix of the other mode', (key) => key.replace('sk_live_', 'sk_test_')],
  ['a key in capitals', (key) => key.toUpperCase()],
  ['a key in quotes', (key) => `"${key}"`],
  ['two keys', (key) => `${key} ${key}`],
  ['two keys with a comma', (key) => `${key},${key}`],
  ['a key without its prefix', (key) => key.slice('sk_live_'.length)],
  ['a bare prefix', () => 'sk_live_'],
  ['a very long key', () => `sk_live_${'a'.repeat(8000)}`],
  ['an operator of the database', () => 'sk_live_{"$ne":null}'],
  ['bytes beyond ASCII', () => 'sk_live_\u00ff\u00fe'],
  ['null', () => 'null'],
];

describe('the authentication of a request', () => {
  let account: TestAccount;
  let address: string;
  before(async () => {
    account = await openAccount();
    address = account.service.address;
  });

  const send = (authorization: string) => call(address, '/v1/webhooks', { headers: { authorization } });

  it('challenges a request without a key, and names no error (RFC 6750, section 3.1)', async () => {
    const refused = await call(address, '/v1/webhooks');
    expect([refusalOf(refused), refused.headers['www-authenticate']]).to.deep.equal([
      '401 api_key_missing',
      'Bearer realm="postrider"',
    ]);
  });

  it('challenges a request with a wrong key, with the error invalid_token', async () => {
    const refused = await send('Bearer sk_live_wrong');
    expect([errorOf(refused).type, refused.headers['www-authenticate']]).to.deep.equal([
      'authentication_error',
      'Bearer realm="postrider", error="invalid_token"',
    ]);
  });

  it('accepts the scheme Bearer in any case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer ']) {
      expect((await send(`${scheme} ${account.liveKey}`)).status, scheme).to.equal(200);
    }
  });

  it('finds no key in another header', async () => {
    for (const authorization of missing) {
      expect(refusalOf(await send(authorization)), authorization).to.equal('401 api_key_missing');
    }
  });

  it('rejects a key that is not exactly the one', async () => {
    for (const [what, write] of invalid) {
      const refused = await send(`Bearer ${write(account.liveKey)}`);
      expect(refusalOf(refused), what).to.equal('401 api_key_invalid');
    }
  });

  it('ignores a key in the query', async () => {
    expect(refusalOf(await call(address, `/v1/webhooks?access_token=${account.liveKey}`))).to.equal(
      '401 api_key_missing',
    );
  });

  it('rejects a key as soon as it expires', async () => {
    const { secret } = await addApiKey(account, { mode: 'live', expiresAt: new Date(Date.now() + 2000) });
    const client = createClient(address, secret);
    expect((await client.get('/v1/webhooks')).status).to.equal(200);
    const refused = await eventually('the key expires', async () => {
      const response = await client.get('/v1/webhooks');
      return response.status === 401 ? refusalOf(response) : null;
    });
    expect(refused).to.equal('401 api_key_expired');
  });

  it('answers 429 to a network that has sent 100 unknown keys, and still accepts a key that is in use', async () => {
    const network = fromNewAddress();
    const sendFrom = (key: string) =>
      call(address, '/v1/webhooks', { headers: { ...network, authorization: `Bearer ${key}` } });
    const unknownKey = () => apiKeySecret('live', randomBytes(apiKeySecretBytes));
    await sendFrom(account.liveKey);
    const answers = await Promise.all(Array.from({ length: 100 }, () => sendFrom(unknownKey())));
    const beyond = await sendFrom(unknownKey());
    const refusals = [...new Set(answers.map(refusalOf))];
    expect([refusals, refusalOf(beyond), (await sendFrom(account.liveKey)).status]).to.deep.equal([
      ['401 api_key_invalid'],
      '429 rate_limit_exceeded',
      200,
    ]);
    expect(Number(beyond.headers['retry-after'])).to.be.within(1, 10);
  });

  it('requires no key for health, readiness and metrics', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      expect((await call(address, path)).status).to.equal(200);
    }
  });
});
