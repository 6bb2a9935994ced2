import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';

import { checkRequest, type KnownRequest } from '../../../dashboard/integration/signatureCheck.js';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const otherSecret = 'whsec_AAAA9r8GKYqrTwjUPD8ILPZIo2LaLaAA';
const now = new Date('2026-11-21T06:46:41.388Z');
const id = 'evt_01M7YDPVFCXGPKVZ39MTD48GR5';
const body =
  '{"id":"evt_1","type":"order.completed","timestamp":"2026-11-21T06:46:41.388Z","data":{"b":1.0,"a":"é"}}';
const known: KnownRequest = { now, sentBody: body, last4: 'LaSw' };

function headersOf(signed: string, at: Date = now): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': `v1,AAAA ${new Webhook(secret).sign(id, at, signed)}`,
  };
}

function linesOf(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

const headers = linesOf(headersOf(body));

async function titlesOf(changed: object, facts: Partial<KnownRequest> = {}): Promise<readonly string[]> {
  const request = { headers, body, secret, ...changed };
  return (await checkRequest(request, { ...known, ...facts })).map(({ title }) => title);
}

const formatted = JSON.stringify(JSON.parse(body), null, 2);
const stringified = JSON.stringify(JSON.parse(body));

describe('the check of a signature in the dashboard', () => {
  for (const [what, text] of [
    ['lines', headers],
    ['lines of curl', headers.replaceAll(/^/gm, '> ')],
    ['JSON', JSON.stringify(headersOf(body))],
    [
      'variables of CGI',
      headers.replaceAll(/^[a-z-]+/gm, (name) => `HTTP_${name.toUpperCase().replace('-', '_')}`),
    ],
  ] as const) {
    it(`accepts a request with its headers as ${what}`, async () => {
      expect(await titlesOf({ headers: text })).to.deep.equal(['The signature matches.']);
    });
  }

  for (const [what, changed, title] of [
    ['a wrong secret', { secret: otherSecret }, 'The secret is wrong.'],
    ['an API key', { secret: 'sk_live_1' }, 'This is an API key.'],
    ['a secret of another form', { secret: 'whsec_%' }, 'The secret has the wrong form.'],
    ['a changed body', { body: body.replace('1.0', '2.0') }, 'The body was changed.'],
    ['a cut body', { body: body.slice(0, -1) }, 'The body was changed.'],
    ['a line break at the end', { body: `${body}\n` }, 'Whitespace was added or removed around the body.'],
    ['formatted JSON', { body: formatted.replace('1,', '1.0,') }, 'The JSON was formatted again.'],
    ['JSON that was stringified again', { body: stringified }, 'The JSON was parsed and stringified again.'],
    [
      'JSON with another order of names',
      { body: body.replace('"b":1.0,"a":"é"', String.raw`"a":"\u00e9","b":1.0`) },
      'The JSON was parsed and stringified again.',
    ],
    ['a masked signature', { headers: headers.replaceAll(/v1,.*/g, 'v1,***') }, 'The signature is masked.'],
    [
      'a signature of another version',
      { headers: headers.replaceAll('v1,', 'v2,') },
      'The header webhook-signature contains no v1 signature.',
    ],
    [
      'a timestamp in milliseconds',
      { headers: headers.replace(/(timestamp: \d+)/, '$1000') },
      'The header webhook-timestamp is not a number of seconds.',
    ],
  ] as const) {
    it(`names ${what} as the reason`, async () => {
      expect(await titlesOf(changed)).to.deep.equal([title]);
    });
  }

  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
    it(`names the missing header ${name}`, async () => {
      const rest = headers.split('\n').filter((line) => !line.startsWith(name));
      expect(await titlesOf({ headers: rest.join('\n') })).to.deep.equal([`The header ${name} is missing.`]);
    });
  }

  it('names a wrong secret and a changed body together', async () => {
    expect(await titlesOf({ secret: otherSecret, body: `${body} ` })).to.deep.equal([
      'The secret is wrong.',
      'Whitespace was added or removed around the body.',
    ]);
  });

  it('recognizes frequent changes without the sent body', async () => {
    const compact = linesOf(headersOf(stringified));
    expect(await titlesOf({ headers: compact, body: formatted }, { sentBody: null })).to.deep.equal([
      'The JSON was formatted again.',
    ]);
    expect(await titlesOf({ body: `${body}\n` }, { sentBody: null })).to.deep.equal([
      'Whitespace was added or removed around the body.',
    ]);
  });

  it('names both possible reasons if the sent body is unknown', async () => {
    expect(await titlesOf({ secret: otherSecret }, { sentBody: null })).to.deep.equal([
      'The signature does not match.',
    ]);
  });

  it('compares the end of the secret with the current secret of the webhook', async () => {
    const [finding] = await checkRequest({ headers, body, secret: otherSecret }, known);
    expect(finding?.text).to.contain('ends with LaSw. The entered secret ends with LaAA.');
  });

  it('warns of an old and of a future timestamp, although the signature matches', async () => {
    const later = new Date(now.getTime() + 301_000);
    const earlier = new Date(now.getTime() - 302_000);
    expect(await titlesOf({}, { now: later })).to.deep.equal([
      'The signature matches.',
      'The timestamp is old.',
    ]);
    expect(await titlesOf({}, { now: earlier })).to.deep.equal([
      'The signature matches.',
      'The timestamp is in the future.',
    ]);
  });

  it('warns of whitespace around the secret, and ignores line breaks that a text field has changed', async () => {
    expect(await titlesOf({ secret: ` ${secret}\n` })).to.deep.equal([
      'The signature matches.',
      'The secret begins or ends with whitespace.',
    ]);
    const sentBody = body.replace(',"a"', ',\r\n"a"');
    const request = { headers: linesOf(headersOf(sentBody)), body: sentBody.replaceAll('\r', '') };
    expect(await titlesOf(request, { sentBody })).to.deep.equal(['The signature matches.']);
  });
});
