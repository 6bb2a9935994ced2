import { expect } from 'chai';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';

import { secretBytes, signatureHeaders } from '../../../../shared/domain/webhooks/signature.js';
import { itHolds } from '../../../support/itHolds.js';

const known = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSeconds: 1614265330,
  body: Buffer.from('{"test": 2432232314}'),
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

describe('signatureHeaders', () => {
  it('match the known vector of Standard Webhooks', () => {
    const { id, timestampSeconds, body } = known;

    const headers = signatureHeaders({ id, timestampSeconds, body, secrets: [secretBytes(known.secret)] });

    expect(headers).to.deep.equal({
      'webhook-id': known.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': known.signature,
    });
  });

  it('contain one signature for each secret, in their order, separated by spaces', () => {
    const { id, timestampSeconds, body } = known;
    const secrets = [Buffer.from('another secret, 24 bytes'), secretBytes(known.secret)];

    const signatures = signatureHeaders({ id, timestampSeconds, body, secrets })['webhook-signature'];

    expect(signatures?.split(' ')).to.have.length(2);
    expect(signatures?.split(' ')[1]).to.equal(known.signature);
  });

  it('have names with the prefix of the webhook', () => {
    const { id, timestampSeconds, body } = known;

    const headers = signatureHeaders({
      ...{ id, timestampSeconds, body, secrets: [secretBytes(known.secret)] },
      prefix: 'svix',
    });

    expect(headers).to.deep.equal({
      'svix-id': known.id,
      'svix-timestamp': '1614265330',
      'svix-signature': known.signature,
    });
  });

  it('are verified by the standardwebhooks package, whatever the secrets and the text', () => {
    const secrets = fc.array(fc.uint8Array({ minLength: 24, maxLength: 64 }), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(secrets, fc.json(), fc.nat(), (keys, text, chosen) => {
        const body = Buffer.from(text);
        const timestampSeconds = Math.floor(Date.now() / 1000);
        const headers = signatureHeaders({
          id: 'evt_01ARZ3NDEKTSV4RRFFQ69G5FAV',
          timestampSeconds,
          body,
          secrets: keys.map((key) => Buffer.from(key)),
        });
        const receiver = new Webhook(Buffer.from(keys[chosen % keys.length] ?? []).toString('base64'));

        expect(receiver.verify(body, { ...headers })).to.deep.equal(JSON.parse(text));
      }),
    );
  });

  it('sign the bytes, not their decoded text', () => {
    const message = {
      id: known.id,
      timestampSeconds: known.timestampSeconds,
      secrets: [secretBytes(known.secret)],
    };

    // Both decode to U+FFFD.
    const signatures = [0xff, 0xfe].map((byte) =>
      signatureHeaders({ ...message, body: Buffer.from([byte]) }),
    );

    expect(signatures[0]).to.not.deep.equal(signatures[1]);
  });
});

describe('secretBytes', () => {
  itHolds('decodes whsec_ and base64', [fc.uint8Array({ minLength: 1, maxLength: 64 })], (bytes) => {
    const secret = `whsec_${Buffer.from(bytes).toString('base64')}`;

    expect(secretBytes(secret).equals(bytes)).to.equal(true);
  });

  for (const secret of [
    '',
    'whsec_',
    'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'whsec_MfKQ9r8',
    'whsec_MfKQ 9r8G',
    'whsec_-_-_',
  ]) {
    it(`rejects "${secret}"`, () => {
      expect(() => secretBytes(secret)).to.throw(
        TypeError,
        'a webhook secret is whsec_ followed by standard base64',
      );
    });
  }
});
