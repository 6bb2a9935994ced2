import { expect } from 'chai';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';

import {
  RawJson,
  signWebhook,
  verifyWebhook,
  SignatureVerificationError,
} from '../../../clients/typescript/src/index.js';
import { rejectionOf } from './rejectionOf.js';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const otherSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const body = '{"test": 2432232314}';
/** The vector of Standard Webhooks. */
const headers = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': '1614265330',
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const anyAge = { tolerance: Infinity };

async function faultOf(verified: Promise<unknown>): Promise<string> {
  const error = await rejectionOf(verified);
  return error instanceof SignatureVerificationError ? error.code : String(error);
}

describe('verifyWebhook', () => {
  it('accepts the vector of Standard Webhooks, in every form of a body and of headers', async () => {
    const bytes = new TextEncoder().encode(body);
    const upperCase = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
    );
    const prefixed = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.replace('webhook', 'svix'), value]),
    );
    const verified = await Promise.all([
      verifyWebhook(body, headers, secret, anyAge),
      verifyWebhook(bytes, new Headers(headers), [otherSecret, secret], anyAge),
      verifyWebhook(body, new Map(Object.entries(headers)), secret, anyAge),
      verifyWebhook(bytes.buffer, upperCase, secret.replace('whsec_', ''), anyAge),
      verifyWebhook(Buffer.from(body), prefixed, secret, { ...anyAge, signatureHeaderPrefix: 'svix' }),
    ]);
    expect(verified).to.deep.equal(verified.map(() => ({ test: 2432232314 })));
  });

  it('agrees with the package standardwebhooks about any body', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), async (text) => {
        const id = 'evt_1';
        const now = new Date();
        const signed = await signWebhook(text, [otherSecret, secret], { id, timestamp: now });
        const signature = new Webhook(secret).sign(id, now, text);
        expect(signed['webhook-signature']?.split(' ')[1]).to.equal(signature);
        await verifyWebhook(text, { ...signed, 'webhook-signature': `v2,x ${signature}` }, [secret]);
      }),
    );
  });

  it('rejects what the holder of the secret has not signed', async () => {
    const changed = (change: Record<string, string | undefined>) =>
      verifyWebhook(body, { ...headers, ...change }, secret, anyAge);
    const faults = await Promise.all([
      faultOf(verifyWebhook(`${body} `, headers, secret, anyAge)),
      faultOf(verifyWebhook(body, headers, otherSecret, anyAge)),
      faultOf(changed({ 'webhook-id': 'msg_other' })),
      faultOf(changed({ 'webhook-timestamp': '1614265331' })),
      faultOf(changed({ 'webhook-signature': headers['webhook-signature'].replace('v1,', 'v1a,') })),
      faultOf(changed({ 'webhook-signature': 'v1, v1' })),
      faultOf(changed({ 'webhook-signature': `${headers['webhook-signature']}=` })),
      faultOf(changed({ 'webhook-timestamp': '0x60371eb2' })),
      faultOf(changed({ 'webhook-signature': undefined })),
      faultOf(verifyWebhook(body, new Map(), secret, anyAge)),
    ]);
    expect(faults).to.deep.equal([
      ...faults.slice(0, 7).map(() => 'signature_mismatch'),
      'timestamp_invalid',
      'header_missing',
      'header_missing',
    ]);
  });

  it('rejects what is too old, or from the future', async () => {
    const at = async (seconds: number) =>
      verifyWebhook(
        body,
        await signWebhook(body, secret, { timestamp: new Date(Date.now() + seconds * 1000) }),
        secret,
      );
    expect(await faultOf(at(-400))).to.equal('timestamp_out_of_tolerance');
    expect(await faultOf(at(400))).to.equal('timestamp_out_of_tolerance');
    expect(await at(-200)).to.deep.equal({ test: 2432232314 });
  });

  it('signs a request that a framework takes for JSON, as that of the service', async () => {
    const signed = await signWebhook(body, secret, { id: 'evt_1', signatureHeaderPrefix: 'svix' });
    expect(signed).to.include({ 'content-type': 'application/json', 'svix-id': 'evt_1' });
  });

  it('keeps the digits of large numbers', async () => {
    const text = '{"id":"evt_1","data":{"n":12345678901234567890.0}}';
    const event = await verifyWebhook(text, await signWebhook(text, secret), secret, { rawData: true });
    expect(event.data).to.deep.equal(new RawJson('{"n":12345678901234567890.0}'));
  });

  it('explains arguments that can verify nothing', async () => {
    for (const secrets of [[], '', 'whsec_', 'whsec_short!', 'sk_live_abc', [secret, '']]) {
      expect(await rejectionOf(verifyWebhook(body, headers, secrets, anyAge))).to.be.instanceOf(TypeError);
    }
    const { WEBHOOK_SECRET: unset } = JSON.parse('{}') as { WEBHOOK_SECRET: string };
    const error = await rejectionOf(verifyWebhook(body, headers, unset, anyAge));
    expect(error).to.be.instanceOf(TypeError).with.property('message').that.includes('signing secret');
    const parsed = JSON.parse(body) as string;
    expect(await rejectionOf(verifyWebhook(parsed, headers, secret, anyAge))).to.be.instanceOf(TypeError);
    expect(await rejectionOf(verifyWebhook(body, headers, secret, { tolerance: NaN }))).to.be.instanceOf(
      TypeError,
    );
  });
});
