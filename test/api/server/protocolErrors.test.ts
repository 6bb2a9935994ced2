import { expect } from 'chai';

import { sharedService } from '../../support/service.js';
import { openConnection } from '../support/connection.js';

const complete = /\r\n\r\n\{.*\}$/s;

async function answerTo(bytes: string | Buffer): Promise<string> {
  const { address } = await sharedService();
  const connection = await openConnection(address);
  try {
    connection.write(bytes);
    return await connection.receives(complete);
  } finally {
    connection.close();
  }
}

const host = 'Host: x\r\n';
const largeHeader = `X-Large: ${'a'.repeat(1_000_000)}\r\n`;

/** The bytes of a request, the status line of the response, and its error code. */
const cases: readonly [what: string, bytes: string | Buffer, status: string, code: string][] = [
  ['no HTTP', 'hello\r\n\r\n', '400 Bad Request', 'http_invalid'],
  ['a TLS handshake', Buffer.from('16030100c8010000c40303', 'hex'), '400 Bad Request', 'http_invalid'],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '400 Bad Request', 'http_invalid'],
  ['an unknown version', `GET /healthz HTTP/3.0\r\n${host}\r\n`, '400 Bad Request', 'http_invalid'],
  [
    'a header without a colon',
    `GET /healthz HTTP/1.1\r\n${host}Broken\r\n\r\n`,
    '400 Bad Request',
    'http_invalid',
  ],
  ['a header with a NUL', `GET /healthz HTTP/1.1\r\n${host}X: \0\r\n\r\n`, '400 Bad Request', 'http_invalid'],
  [
    'two content lengths',
    `POST /v1/events HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`,
    '400 Bad Request',
    'http_invalid',
  ],
  [
    'a content length with chunks',
    `POST /v1/events HTTP/1.1\r\n${host}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    '400 Bad Request',
    'http_invalid',
  ],
  [
    'a negative length',
    `POST /v1/events HTTP/1.1\r\n${host}Content-Length: -1\r\n\r\n`,
    '400 Bad Request',
    'http_invalid',
  ],
  ['no host', 'GET /healthz HTTP/1.1\r\n\r\n', '400 Bad Request', 'http_invalid'],
  [
    'a header that is too large',
    `GET /healthz HTTP/1.1\r\n${host}${largeHeader}\r\n`,
    '431 Request Header Fields Too Large',
    'headers_too_large',
  ],
  [
    'a path that is too long',
    `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n${host}\r\n`,
    '431 Request Header Fields Too Large',
    'headers_too_large',
  ],
  [
    'chunk extensions that are too large',
    `POST /v1/events HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n1;${'a'.repeat(20_000)}\r\n{\r\n`,
    '413 Payload Too Large',
    'payload_too_large',
  ],
  [
    'an unknown method',
    `FETCH /v1/events HTTP/1.1\r\n${host}\r\n`,
    '405 Method Not Allowed',
    'method_not_allowed',
  ],
  [
    'a method in small letters',
    `get /v1/events?a=1 HTTP/1.1\r\n${host}\r\n`,
    '405 Method Not Allowed',
    'method_not_allowed',
  ],
  [
    'an unknown method at an unknown path',
    `FETCH /nothing HTTP/1.1\r\n${host}\r\n`,
    '404 Not Found',
    'route_not_found',
  ],
  [
    'CONNECT to a host',
    `CONNECT example.com:443 HTTP/1.1\r\n${host}\r\n`,
    '404 Not Found',
    'route_not_found',
  ],
];

describe('the response to an invalid HTTP request', () => {
  it('has the status and the code of the fault', async () => {
    for (const [what, bytes, status, code] of cases) {
      const answer = await answerTo(bytes);
      expect([answer.split('\r\n', 1)[0], /"code":"(\w+)"/.exec(answer)?.[1]], what).to.deep.equal([
        `HTTP/1.1 ${status}`,
        code,
      ]);
    }
  });

  it('has a request id in its header and its error', async () => {
    const answer = await answerTo('hello\r\n\r\n');
    expect(/^Request-Id: (req_\w{26})\r$/m.exec(answer)?.[1]).to.equal(
      /"requestId":"(.*?)"/.exec(answer)?.[1],
    );
  });

  it('lists the allowed methods for an unknown one', async () => {
    expect(await answerTo(`FETCH /v1/events HTTP/1.1\r\n${host}\r\n`)).to.match(
      /^Allow: GET, HEAD, POST\r$/m,
    );
  });

  it('closes the connection', async () => {
    const { address } = await sharedService();
    const connection = await openConnection(address);
    connection.write('hello\r\n\r\n');
    await connection.ended();
    expect(connection.received()).to.match(/^Connection: close\r$/m);
  });

  it('is a success for unusual requests that are valid', async () => {
    for (const bytes of [
      'GET /healthz HTTP/1.0\r\n\r\n',
      `GET http://x/healthz HTTP/1.1\r\n${host}\r\n`,
      `GET /healthz HTTP/1.1\r\n${host}Expect: miracles\r\n\r\n`,
      `GET /healthz HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    ]) {
      expect(await answerTo(bytes), bytes).to.match(/^HTTP\/1\.1 200 OK/);
    }
  });
});
