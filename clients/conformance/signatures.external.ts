import type { IncomingHttpHeaders } from 'node:http';

import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';

import { startReceiver } from '../../test/support/receiver.js';
import type { Arguments, DrivenError } from './protocol.js';
import { testLibraries } from './support/testLibraries.js';

/** The example of Standard Webhooks. */
const vector = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1614265330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const { secret } = vector;
const otherSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

const id = 'evt_01M7YDPVFCXGPKVZ39MTD48GR5';
const payload = { id, type: 'order.completed', timestamp: '2026-11-21T06:46:41.388Z', data: { text: 'é😀' } };
const body = JSON.stringify(payload);

/** The headers of a request that the library of Standard Webhooks has signed. */
function signed({ ageSeconds = 0, text = body, keys = [secret] } = {}) {
  const at = new Date(Date.now() - ageSeconds * 1000);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': keys.map((key) => new Webhook(key).sign(id, at, text)).join(' '),
  };
}

const textsOf = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).map(([name, value = '']) => [name, value]));

type Verification = Arguments['verifyWebhook'];

const verification = (more: Partial<Verification> = {}): Verification => ({
  body,
  headers: signed(),
  secrets: [secret],
  ...more,
});

const renamed = (headers: ReturnType<typeof signed>, rename: (name: string) => string) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [rename(name), value]));

const [version, digest] = ['v1', signed()['webhook-signature'].slice(3)];

const genuine: Readonly<Record<string, () => Verification>> = {
  'a text': () => verification(),
  bytes: () => ({ bodyBase64: Buffer.from(body).toString('base64'), headers: signed(), secrets: [secret] }),
  'names in upper case': () => verification({ headers: renamed(signed(), (name) => name.toUpperCase()) }),
  'lists of values': () =>
    verification({
      headers: Object.fromEntries(Object.entries(signed()).map(([name, text]) => [name, [text]])),
    }),
  'other headers': () =>
    verification({ headers: { ...signed(), host: 'example.com', 'x-list': ['a', 'b'] } }),
  'the second of two secrets': () => verification({ secrets: [otherSecret, secret] }),
  'the first of two secrets': () => verification({ secrets: [secret, otherSecret] }),
  'two signatures': () => verification({ headers: signed({ keys: [otherSecret, secret] }) }),
  'signatures of other versions': () => {
    const headers = signed();
    const signatures = `v1a,${digest} v2,x ${headers['webhook-signature']} v1,`;
    return verification({ headers: { ...headers, 'webhook-signature': signatures } });
  },
  'an age below the tolerance': () => verification({ headers: signed({ ageSeconds: 200 }) }),
  'a time in the near future': () => verification({ headers: signed({ ageSeconds: -200 }) }),
  'an age below a larger tolerance': () =>
    verification({ headers: signed({ ageSeconds: 4000 }), toleranceSeconds: 5000 }),
};

const changedSignature = (change: (signature: string) => string) => {
  const headers = signed();
  return verification({ headers: { ...headers, 'webhook-signature': change(headers['webhook-signature']) } });
};

const without = (left: string) =>
  verification({ headers: Object.fromEntries(Object.entries(signed()).filter(([name]) => name !== left)) });

const bytesOf = (bytes: Buffer, text: string): Verification => ({
  bodyBase64: bytes.toString('base64'),
  headers: signed({ text }),
  secrets: [secret],
});

const forged: Readonly<Record<string, () => Verification>> = {
  'another body': () => verification({ body: body.replace('completed', 'Completed') }),
  'a body that was written again': () => verification({ body: JSON.stringify(payload, null, 1) }),
  'a line break after the body': () => verification({ body: `${body}\n` }),
  // Both are U+FFFD if the bytes are decoded before they are signed.
  'bytes that are no UTF-8': () => bytesOf(Buffer.from('{"a":"\xff"}', 'latin1'), '{"a":"\ufffd"}'),
  // Decoders remove it.
  'a byte-order mark': () => bytesOf(Buffer.from(`\ufeff${body}`), body),
  'another id': () => verification({ headers: { ...signed(), 'webhook-id': `${id.slice(0, -1)}6` } }),
  'another secret': () => verification({ secrets: [otherSecret] }),
  'an old time': () => verification({ headers: signed({ ageSeconds: 400 }) }),
  'a time in the future': () => verification({ headers: signed({ ageSeconds: -400 }) }),
  'an age above a smaller tolerance': () =>
    verification({ headers: signed({ ageSeconds: 100 }), toleranceSeconds: 50 }),
  'a time that was changed': () =>
    verification({
      headers: { ...signed({ ageSeconds: 10 }), 'webhook-timestamp': signed()['webhook-timestamp'] },
    }),
  'a time that is no number': () => verification({ headers: { ...signed(), 'webhook-timestamp': 'now' } }),
  'a time that is empty': () => verification({ headers: { ...signed(), 'webhook-timestamp': '' } }),
  'a time with more after it': () => {
    const headers = signed();
    return verification({
      headers: { ...headers, 'webhook-timestamp': `${headers['webhook-timestamp']}.5` },
    });
  },
  'no id': () => without('webhook-id'),
  'no time': () => without('webhook-timestamp'),
  'no signature': () => without('webhook-signature'),
  'no headers': () => verification({ headers: {} }),
  'a signature of another version only': () => changedSignature((text) => text.replace(version, 'v1a')),
  'a signature without a version': () => changedSignature((text) => text.slice(3)),
  'a shorter signature': () => changedSignature((text) => text.slice(0, -4)),
  'a longer signature': () => changedSignature((text) => `${text}AAAA`),
  'a signature with other characters': () => changedSignature(() => 'v1,é\u0000'),
  'an empty signature': () => changedSignature(() => ''),
  'an empty signature with a version': () => changedSignature(() => 'v1,'),
};

const misused: Readonly<Record<string, () => Verification>> = {
  'no secret': () => verification({ secrets: [] }),
  'an empty secret': () => verification({ secrets: [''] }),
  'an empty secret after a valid one': () => verification({ secrets: [secret, ''] }),
  'a secret without a key': () => verification({ secrets: ['whsec_'] }),
  'a secret that is not Base64': () => verification({ secrets: ['whsec_no base64'] }),
  'an API key': () => verification({ secrets: ['sk_live_0123456789abcdefghijklmn'] }),
};

testLibraries('signatures', (bench) => {
  it('verify the example of Standard Webhooks', async () => {
    const { timestamp, signature } = vector;
    const headers = {
      'webhook-id': vector.id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signature,
    };
    const given = { body: vector.body, headers, secrets: [secret] };
    const { driver } = bench();
    const { event } = await driver.call('verifyWebhook', { ...given, toleranceSeconds: 1e9 });
    expect(event).to.deep.include({ test: 2432232314 });
    expect(await driver.fail('verifyWebhook', given)).to.include({ type: 'verification_error' });
  });

  it('of the library are those of Standard Webhooks', async () => {
    const { driver } = bench();
    const { headers } = await driver.call('signWebhook', { ...vector, secrets: [secret] });
    expect(headers).to.deep.include({
      'webhook-id': vector.id,
      'webhook-timestamp': String(vector.timestamp),
      'webhook-signature': vector.signature,
    });
    const timestamp = Math.floor(Date.now() / 1000);
    const twice = await driver.call('signWebhook', { id, timestamp, body, secrets: [otherSecret, secret] });
    for (const key of [secret, otherSecret]) {
      expect(new Webhook(key).verify(body, twice.headers)).to.deep.equal(payload);
    }
  });

  for (const [name, given] of Object.entries(genuine)) {
    it(`are accepted with ${name}`, async () => {
      const { event } = await bench().driver.call('verifyWebhook', given());
      const { type, data } = payload;
      expect(event).to.deep.include({ id, type, data });
    });
  }

  const typeOf = async (given: Verification): Promise<DrivenError['type']> =>
    (await bench().driver.fail('verifyWebhook', given)).type;

  for (const [name, given] of Object.entries(forged)) {
    it(`are rejected with ${name}`, async () => {
      expect(await typeOf(given())).to.equal('verification_error');
    });
  }

  for (const [name, given] of Object.entries(misused)) {
    it(`are not checked with ${name}`, async () => {
      expect(await typeOf(given())).to.equal('argument_error');
    });
  }

  it('of the service are accepted, in each format', async () => {
    const { client, driver, settings } = bench();
    const receiver = await startReceiver();
    const create = { url: receiver.url, events: ['signed.*'] };
    const webhook = await driver.call('webhooks.create', create, settings);
    for (const [index, format] of ['standard', 'thin', 'cloudevents'].entries()) {
      await client.patch(`/v1/webhooks/${webhook.id}`, { format });
      const given = { type: 'signed.event', rawData: '{"total":1.50,"text":"é"}' };
      const posted = await driver.call('events.create', given, settings);
      const request = (await receiver.received(index + 1))[index];
      const { event } = await driver.call('verifyWebhook', {
        bodyBase64: String(request?.body.toString('base64')),
        headers: textsOf(request?.headers ?? {}),
        secrets: [webhook.secret ?? ''],
      });
      expect(event).to.deep.include({ id: posted.id, type: posted.type });
    }
  });
});
