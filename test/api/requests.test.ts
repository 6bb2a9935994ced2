import { expect } from 'chai';

import { openAccount, type TestAccount } from './support/accounts.js';
import { call, refusalOf } from './support/client.js';
import { openConnection } from './support/connection.js';

const event = '{"type":"a","data":{}}';
const json = { 'content-type': 'application/json' };

describe('malformed and hostile requests', () => {
  let account: TestAccount;
  let address: string;
  before(async () => {
    account = await openAccount();
    address = account.service.address;
  });

  /** The response to bytes that are written to a connection, once it has the given form. */
  const answerTo = async (bytes: string, form: RegExp): Promise<string> => {
    const connection = await openConnection(address);
    try {
      connection.write(bytes);
      return await connection.receives(form);
    } finally {
      connection.close();
    }
  };

  const get = (target: string) =>
    `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${account.liveKey}\r\n\r\n`;
  const post = (framing: string, body: string) =>
    `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${account.liveKey}\r\n` +
    `Content-Type: application/json\r\n${framing}\r\n\r\n${body}`;

  const overrides = [
    'x-http-method-override',
    'x-http-method',
    'x-method-override',
    'x-original-method',
    'x-rewrite-method',
  ];
  it('keep their method and path despite headers that some servers obey', async () => {
    for (const name of overrides) {
      const response = await account.live.post('/v1/events', event, { ...json, [name]: 'GET' });
      expect(response.status, name).to.equal(201);
    }
    for (const name of ['x-original-url', 'x-rewrite-url', 'x-forwarded-path', 'x-forwarded-prefix']) {
      const headers = { [name]: '/v1/events' };
      expect((await call(address, '/healthz', { headers })).status, name).to.equal(200);
    }
  });

  it('keep their method despite a parameter', async () => {
    const response = await account.live.post('/v1/events?_method=GET', event);
    expect(refusalOf(response)).to.equal('400 parameter_unknown _method');
  });

  const targets: readonly [target: string, answer: string][] = [
    ['http://x/v1/events?limit=1', '200 OK'],
    ['http://example.com/v1/events', '200 OK'],
    ['HTTP://X/v1/events', '200 OK'],
    ['https://x:443/v1/events', '200 OK'],
    ['http://x/v1/Events', '404 Not Found'],
    ['http://x/v1/events?limit=0', '400 Bad Request'],
    ['http://x', '404 Not Found'],
    ['/v1/events?', '200 OK'],
    ['/v1/events?&', '200 OK'],
    ['/v1/events?%6Cimit=1', '200 OK'],
    ['//x/v1/events', '404 Not Found'],
    ['/v1\\events', '404 Not Found'],
    ['/v1/events\\', '404 Not Found'],
    ['/v1/events%3Flimit=1', '404 Not Found'],
    ['/v1/events%00', '404 Not Found'],
    ['/v1%2Fevents', '404 Not Found'],
    ['/v1/./events', '404 Not Found'],
    ['/v1/events/..', '404 Not Found'],
    ['v1/events', '400 Bad Request'],
    ['?limit=1', '400 Bad Request'],
  ];
  it('get the answer of their target', async () => {
    for (const [target, answer] of targets) {
      const text = await answerTo(get(target), /\r\n\r\n\{.*\}$/s);
      expect([text.split('\r\n', 1)[0], /^Request-Id: req_\w{26}\r$/m.test(text)], target).to.deep.equal([
        `HTTP/1.1 ${answer}`,
        true,
      ]);
    }
  });

  it('get a link to the explanation of the error if they are not HTTP', async () => {
    expect(await answerTo(get('v1/events'), /\r\n\r\n\{.*\}$/s)).to.contain(
      '\r\nLink: </docs/errors/http_invalid>; rel="help"\r\n',
    );
  });

  it('are accepted with the largest number of event types of the largest length', async () => {
    const types = Array.from({ length: 100 }, (_, number) => `type=${String(number).padStart(128, 'a')}`);
    expect((await account.live.get(`/v1/events?${types.join('&')}`)).status).to.equal(200);
  });

  it('are rejected for a long value that is not an event type', async () => {
    expect(refusalOf(await account.live.get(`/v1/events?type=${'a'.repeat(15_000)}`))).to.equal(
      '400 event_type_invalid type',
    );
  });

  it('are rejected for the first of a thousand unknown parameters', async () => {
    const names = Array.from({ length: 1000 }, (_, number) => `p${number}=`);
    expect(refusalOf(await account.live.get(`/v1/events?${names.join('&')}`))).to.equal(
      '400 parameter_unknown p0',
    );
  });

  it('may have a body with GET, which the API ignores', async () => {
    const headers = { authorization: `Bearer ${account.liveKey}`, ...json, 'content-length': '11' };
    const response = await call(address, '/v1/events', { headers, body: '{"limit":0}' });
    expect(response.status).to.equal(200);
  });

  it('may send their body after 100 Continue', async () => {
    const framing = `Expect: 100-continue\r\nContent-Length: ${event.length}`;
    const connection = await openConnection(address);
    connection.write(post(framing, ''));
    await connection.receives(/^HTTP\/1\.1 100 Continue\r\n\r\n/);
    connection.write(event);
    expect(await connection.receives(/\}$/)).to.match(/HTTP\/1\.1 201 Created/);
    connection.close();
  });

  it('are rejected before 100 Continue if their body is too large', async () => {
    const framing = 'Expect: 100-continue\r\nContent-Length: 300000';
    expect(await answerTo(post(framing, ''), /\}$/)).to.match(/HTTP\/1\.1 413 Payload Too Large/);
  });

  it('are answered, and invalid bytes after them are rejected', async () => {
    for (const rest of ['more', 'more and more\r\n\r\n', '\0', 'GET / HTTP/1.1\r\nBroken\r\n\r\n']) {
      const text = await answerTo(post(`Content-Length: ${event.length}`, event + rest), /valid HTTP.*\}$/s);
      expect(text.match(/HTTP\/1\.1 \d+/g), rest).to.deep.equal(['HTTP/1.1 201', 'HTTP/1.1 400']);
    }
  });

  it('are rejected if their content length cuts off the body', async () => {
    const text = await answerTo(post('Content-Length: 5', event.slice(0, 5)), /\}$/);
    expect(text).to.match(/^HTTP\/1\.1 400 Bad Request[^]*"code":"json_invalid"/);
  });

  it('are rejected if they end before their body is complete', async () => {
    const connection = await openConnection(address);
    connection.write(post('Content-Length: 1000', event));
    connection.socket.end();
    expect(await connection.receives(/\}$/)).to.match(/^HTTP\/1\.1 400 Bad Request/);
    connection.close();
  });

  it('are rejected with another transfer coding than chunked', async () => {
    const text = await answerTo(post('Transfer-Encoding: gzip', `5\r\n${event}\r\n0\r\n\r\n`), /\}$/);
    expect(text).to.match(/^HTTP\/1\.1 400 Bad Request/);
  });
});
