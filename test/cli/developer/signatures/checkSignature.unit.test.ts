import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';

import { capturedRequest } from '../../../../cli/developer/signatures/capturedRequest.js';
import { faultOf } from '../../../../cli/developer/signatures/checkSignature.js';

const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const otherSecret = `whsec_${Buffer.alloc(32, 6).toString('base64')}`;
const now = new Date('2026-11-21T06:46:41.000Z');
const body = '{"id":"evt_1", "data":{"note":"é"}}';

function request(text = body, { at = now, prefix = 'webhook' } = {}): Buffer {
  return Buffer.from(
    JSON.stringify({
      headers: {
        'Content-Type': 'application/json',
        'X-Other-Signature': 'sha256=1',
        [`${prefix}-Id`]: 'evt_1',
        [`${prefix}-Timestamp`]: String(at.getTime() / 1000),
        [`${prefix}-Signature`]: `v1,AAAA ${new Webhook(secret).sign('evt_1', at, body)}`,
      },
      body: text,
    }),
  );
}

function faultIn(input: Buffer, secrets: readonly string[] = [secret]): string | null {
  return faultOf(capturedRequest(input, {}), { secrets, now, toleranceMs: 300_000 });
}

describe('postrider verify', () => {
  it('accepts a request of Standard Webhooks, with another prefix too, and with one of several secrets', () => {
    const faults = [
      faultIn(request()),
      faultIn(request(body, { prefix: 'svix' })),
      faultIn(request(), [otherSecret, secret]),
    ];
    expect(faults).to.deep.equal([null, null, null]);
  });

  it('accepts a body with its headers as options', () => {
    const timestamp = String(now.getTime() / 1000);
    const signature = new Webhook(secret).sign('evt_1', now, body);
    const captured = capturedRequest(Buffer.from(body), { id: 'evt_1', timestamp, signature });
    expect(faultOf(captured, { secrets: [secret], now, toleranceMs: null })).to.equal(null);
  });

  it('says why a signature does not fit', () => {
    expect(faultIn(request(), [otherSecret])).to.contain('another webhook');
    expect(faultIn(request(body.replace('é', 'e')))).to.contain('was changed');
    expect(faultIn(request(`${body}\n`))).to.contain('line break');
    expect(faultIn(request(body, { at: new Date(now.getTime() - 301_000) }))).to.contain('301 s old');
    expect(faultIn(request(body, { at: new Date(now.getTime() + 301_000) }))).to.contain('clock');
    expect(() => faultIn(request(), ['sk_live_1']))
      .to.throw('API key')
      .not.match(/sk_live_1/);
  });

  it('finds a body that was parsed and written again', () => {
    const compact = JSON.stringify(JSON.parse(body));
    const signature = new Webhook(secret).sign('evt_1', now, compact);
    const timestamp = String(now.getTime() / 1000);
    const captured = capturedRequest(Buffer.from(body), { id: 'evt_1', timestamp, signature });
    expect(faultOf(captured, { secrets: [secret], now, toleranceMs: null })).to.contain('parsed');
    expect(() => capturedRequest(Buffer.from('{"headers":{},"body":{"id":1}}'), {})).to.throw('other bytes');
  });
});
