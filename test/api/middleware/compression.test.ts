import { request, type IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

import { expect } from 'chai';
import { z } from 'zod';

import { isCompressed } from '../../../api/middleware/compression.js';
import { eventually } from '../../support/eventually.js';
import { openAccount, type TestAccount } from '../support/accounts.js';
import { takenUpEvent } from '../support/events.js';
import { openStream } from '../support/eventStream.js';
import { openOwner } from '../support/signedInUsers.js';
import { routeTable } from '../support/routeTable.js';

const secretFields = /"(secret|csrfToken|signInUrl|token|password)"/;

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

function receive(
  address: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  { method = 'GET', body }: { readonly method?: string; readonly body?: unknown } = {},
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = request(`${address}${path}`, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        resolve({ headers: response.headers, bytes: Buffer.concat(chunks) });
      });
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

describe('the compression of responses', () => {
  let account: TestAccount;
  let address: string;
  let authorization: string;
  let withGzip: Readonly<Record<string, string>>;
  before(async () => {
    account = await openAccount();
    ({ address } = account.service);
    authorization = `Bearer ${account.liveKey}`;
    withGzip = { authorization, 'accept-encoding': 'gzip, br' };
    const data = { text: 'text '.repeat(1000) };
    const { text } = await account.live.postJson('/v1/events', { type: 'large.event', data });
    const { id } = JSON.parse(text) as { readonly id: string };
    // Later responses do not differ from each other.
    await takenUpEvent(account.live, id);
    await eventually('the event in the list', async () => {
      const list = (await account.live.get('/v1/events')).text;
      return list.includes(id) && !list.includes('"deliveriesComplete":false') ? true : null;
    });
  });

  it('compresses a list without changing its content', async () => {
    const plain = await receive(address, '/v1/events', { authorization });
    const { headers, bytes } = await receive(address, '/v1/events', withGzip);
    expect([headers['content-encoding'], gunzipSync(bytes).toString()]).to.deep.equal([
      'gzip',
      plain.bytes.toString(),
    ]);
    expect(bytes.length).to.be.lessThan(plain.bytes.length / 4);
  });

  it('does not apply to a client that does not accept it', async () => {
    for (const accepted of [undefined, 'identity', 'gzip;q=0', 'zstd']) {
      const { headers, bytes } = await receive(address, '/v1/events', {
        authorization,
        ...(accepted === undefined ? {} : { 'accept-encoding': accepted }),
      });
      expect([headers['content-encoding'], headers.vary], accepted).to.deep.equal([
        undefined,
        'Accept-Encoding',
      ]);
      expect(() => JSON.parse(bytes.toString()) as unknown).not.to.throw();
    }
  });

  it('skips a small response', async () => {
    const { headers } = await receive(address, '/v1/webhooks', withGzip);
    expect([headers['content-encoding'], headers.vary]).to.deep.equal([undefined, 'Accept-Encoding']);
  });

  it('compresses the response to a session only if the request has a header that no other page can send', async () => {
    const { cookie } = await openOwner(account);
    const sent = { cookie, 'accept-encoding': 'gzip' };
    const maybeForeign = await receive(address, '/v1/events', sent);
    expect([maybeForeign.headers['content-encoding'], maybeForeign.bytes.length > 1024]).to.deep.equal([
      undefined,
      true,
    ]);
    const own = await receive(address, '/v1/events', { ...sent, 'postrider-mode': 'live' });
    expect(own.headers['content-encoding']).to.equal('gzip');
  });

  it('allows no other page to send that header', async () => {
    const preflight = {
      ...{ origin: 'https://example.com', 'access-control-request-method': 'GET' },
      'access-control-request-headers': 'postrider-mode',
    };
    const { headers } = await receive(address, '/v1/events', preflight, { method: 'OPTIONS' });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).to.deep.equal([]);
  });

  it('skips the response to a posted event, however large', async () => {
    const body = { type: 'large.event', data: { text: 'text '.repeat(1000) } };
    const { headers } = await receive(
      address,
      '/v1/events',
      { ...withGzip, 'content-type': 'application/json' },
      { method: 'POST', body },
    );
    expect([headers['content-encoding'], headers.vary]).to.deep.equal([undefined, undefined]);
  });

  it('skips the stream of events, and delays none of them', async () => {
    const stream = await openStream(address, withGzip);
    const { text } = await account.live.postJson('/v1/events', { type: 'of.stream', data: {} });
    const { id } = JSON.parse(text) as { readonly id: string };
    await stream.receives(new RegExp(id));
    stream.close();
    expect(stream.headers['content-encoding']).to.equal(undefined);
  });

  it('excludes every route whose response has a secret field', () => {
    const withSecret = routeTable.filter(
      ({ response }) =>
        response !== null && secretFields.test(JSON.stringify(z.toJSONSchema(response, { io: 'output' }))),
    );
    expect([withSecret.length, withSecret.filter(isCompressed)]).to.deep.equal([10, []]);
  });

  for (const [path, coding, decode] of [
    ['/openapi.json', 'br', brotliDecompressSync],
    ['/docs', 'br', brotliDecompressSync],
    ['/docs/swagger-ui.css', 'gzip', gunzipSync],
    ['/docs/swagger-ui-bundle.js', 'br', brotliDecompressSync],
  ] as const) {
    it(`is done once for ${path}, with its own ETag for ${coding}`, async () => {
      const plain = await receive(address, path, {});
      const sent = { 'accept-encoding': coding };
      const { headers, bytes } = await receive(address, path, sent);
      const again = await receive(address, path, { ...sent, 'if-none-match': String(headers.etag) });
      expect([
        headers['content-encoding'],
        headers.vary,
        headers.etag,
        decode(bytes).equals(plain.bytes),
        again.bytes.length,
      ]).to.deep.equal([
        coding,
        'Accept-Encoding',
        plain.headers.etag?.replace(/"$/, `-${coding}"`),
        true,
        0,
      ]);
    });
  }
});
