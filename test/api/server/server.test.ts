import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';
import Koa from 'koa';

import { apiError } from '../../../api/http/apiError.js';
import type { RequestState } from '../../../api/http/context.js';
import { createJsonBody } from '../../../api/middleware/jsonBody.js';
import { createRequestIds } from '../../../api/middleware/observability.js';
import { createUnsentBytesLimit } from '../../../api/middleware/unsentBytesLimit.js';
import { startServer, type ApiServer } from '../../../api/server/server.js';
import { createUnsentBytes } from '../../../api/server/unsentBytes.js';
import { createLogger } from '../../../shared/core/logger.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import { createMetrics, type Metrics } from '../../../shared/runtime/metrics.js';
import { eventually } from '../../support/eventually.js';
import type { RunningRole } from '../../../shared/runtime/role.js';
import { startAnotherApi } from '../support/anotherApi.js';
import { openAccount, type TestAccount } from '../support/accounts.js';
import { call } from '../support/client.js';
import { openConnection } from '../support/connection.js';
import { createWebhook } from '../support/webhooks.js';

const tooLarge = /^HTTP.1.1 413 Payload/;
const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
const clock = () => new Date();
const routingError = () => apiError('route_not_found', 'There is nothing here.');
const silent = createLogger({ role: 'test', level: 'silent', isTerminal: false });
/** Time limits beyond the duration of any test. */
const noLimits = {
  headersTimeout: 60_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 1000,
  stalledTimeout: 60_000,
  stalledCheckingInterval: 1000,
};
const chunk = `1000\r\n${'x'.repeat(0x1000)}\r\n`;

describe('the HTTP server', () => {
  let account: TestAccount;
  let address: string;
  before(async () => {
    account = await openAccount();
    address = account.service.address;
  });

  const postHead = (framing: string) =>
    `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${account.liveKey}\r\n` +
    `Content-Type: application/json\r\n${framing}\r\n\r\n`;

  it('answers 413 to a client that continues to send, and reads its bytes', async () => {
    const connection = await openConnection(address);
    connection.write(postHead('Transfer-Encoding: chunked'));
    await eventually('the answer', () => {
      connection.write(chunk.repeat(50));
      return tooLarge.test(connection.received()) ? true : null;
    });
    connection.write(chunk.repeat(4_000));
    await eventually('all is taken from the client', () =>
      connection.socket.writableLength === 0 ? true : null,
    );
    connection.close();
  });

  it('answers 413 to a client that announces too large a body and sends nothing', async () => {
    const connection = await openConnection(address);
    connection.write(postHead('Content-Length: 1000000'));
    await connection.receives(tooLarge);
    connection.close();
  });

  it('answers the next request on a connection after a 413', async () => {
    const connection = await openConnection(address);
    connection.write(`${postHead('Content-Length: 300000')}${'x'.repeat(300_000)}`);
    connection.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await connection.receives(/200 OK/)).to.match(tooLarge);
    connection.close();
  });

  it('answers 413 before it closes the connection, as the client requested', async () => {
    const connection = await openConnection(address);
    connection.write(postHead('Connection: close\r\nContent-Length: 64000000'));
    connection.write('x'.repeat(16_000_000));
    await connection.ended();
    expect(connection.received()).to.match(tooLarge);
  });

  it('continues after a client has closed its connection in the middle of a body', async () => {
    const connection = await openConnection(address);
    connection.write(`${postHead('Content-Length: 1000')}{"type":`);
    connection.close();
    expect((await call(address, '/healthz')).status).to.equal(200);
  });

  it('answers 400 to an invalid chunk', async () => {
    const connection = await openConnection(address);
    connection.write(`${postHead('Transfer-Encoding: chunked')}zz\r\n`);
    expect(await connection.receives(/\}$/)).to.match(/^HTTP\/1\.1 400 Bad Request\r\n/);
    connection.close();
  });

  it('keeps an idle connection open longer than load balancers do', async () => {
    expect(
      (await call(address, '/healthz', { headers: { connection: 'keep-alive' } })).headers['keep-alive'],
    ).to.equal('timeout=75');
  });
});

describe('the HTTP server during a stop', () => {
  let account: TestAccount;
  let api: RunningRole;
  before(async () => {
    account = await openAccount();
    api = await startAnotherApi(account.service);
  });

  it('finishes requests in flight, closes idle connections and accepts no new ones', async () => {
    const idle = await openConnection(api.address);
    idle.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await idle.receives(/ok/);
    const { id } = await createWebhook(account.live);
    // The API answers a deletion 300 ms after its effect, so the stop begins in between.
    const inFlight = await openConnection(api.address);
    inFlight.write(
      `DELETE /v1/webhooks/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${account.liveKey}\r\n\r\n`,
    );
    await eventually('the webhook is deleted', async () =>
      (await account.live.get(`/v1/webhooks/${id}`)).status === 404 ? true : null,
    );
    const stopped = api.stop();
    await Promise.all([inFlight.ended(), idle.ended()]);
    const refused = await call(api.address, '/healthz').catch((error: unknown) => String(error));
    await stopped;
    expect([inFlight.received().split('\r\n', 1)[0], refused]).to.deep.equal([
      'HTTP/1.1 200 OK',
      `Error: connect ECONNREFUSED ${new URL(api.address).host}`,
    ]);
  });
});

describe('the HTTP server with slow clients', () => {
  let server: ApiServer;
  before(async () => {
    const identifiers = createIdentifiers(Math.random);
    const koa = new Koa<RequestState>();
    koa.silent = true;
    koa.use(createRequestIds(identifiers, clock, {})).use(createJsonBody());
    const timeLimits = {
      ...noLimits,
      headersTimeout: 150,
      requestTimeout: 300,
      connectionsCheckingInterval: 20,
    };
    server = await startServer(
      { koa, routing: { routingError }, commonHeaders: {} },
      { identifiers, clock, metrics: createMetrics(), logger: silent },
      { host: '127.0.0.1', port: 0, keepAliveMs: 75_000, timeLimits },
    );
  });
  after(() => server.stop());

  const slow: readonly [what: string, bytes: string][] = [
    ['that sends nothing', ''],
    ['that sends one line of a header', 'GET / HTTP/1.1\r\n'],
    ['that sends no end of the header', 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: '],
    ['that sends no body', `${head}Content-Length: 10\r\n\r\n`],
    ['that sends a part of a body', `${head}Content-Length: 10\r\n\r\n{`],
    ['that sends no last chunk', `${head}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`],
  ];
  it('answers 408 to clients that stop in the middle of a request, and closes their connections', async () => {
    const answers = await Promise.all(
      slow.map(async ([what, bytes]) => {
        const connection = await openConnection(server.address);
        connection.write(bytes);
        await connection.ended();
        return [what, connection.received()] as const;
      }),
    );
    for (const [what, answer] of answers) {
      expect(answer, what).to.match(
        /^HTTP\/1\.1 408 Request Timeout\r\n[^]*\r\nRequest-Id: req_\w{26}\r\n[^]*"code":"request_timeout"[^]*"param":null/,
      );
    }
  });

  it('answers 408 to a client that sends a header a byte at a time, and closes the connection', async () => {
    const connection = await openConnection(server.address);
    connection.write('GET / HTTP/1.1\r\nX-Slow: ');
    const dripping = setInterval(() => {
      connection.write('a');
    }, 20);
    await connection.ended();
    clearInterval(dripping);
    expect(connection.received()).to.match(/^HTTP\/1\.1 408 Request Timeout/);
  });
});

describe('the HTTP server with clients that do not read', () => {
  const bodyBytes = 8 * 1024 * 1024;
  let server: ApiServer;
  let metrics: Metrics;
  /** The number of requests in flight, and its maximum. */
  let inFlight: { now: number; most: number };

  const start = (stalledTimeout: number, maximumConnections = 100) => {
    const identifiers = createIdentifiers(Math.random);
    const koa = new Koa<RequestState>();
    koa.silent = true;
    inFlight = { now: 0, most: 0 };
    koa.use(createRequestIds(identifiers, clock, {}));
    koa.use(
      createUnsentBytesLimit(createUnsentBytes({ ofProcess: 10 * bodyBytes, ofOwner: 10 * bodyBytes })),
    );
    koa.use(async (context) => {
      inFlight.now += 1;
      inFlight.most = Math.max(inFlight.most, inFlight.now);
      await endOfTurn();
      inFlight.now -= 1;
      context.body = context.path === '/large' ? Buffer.alloc(bodyBytes, 'x') : context.path;
    });
    metrics = createMetrics();
    return startServer(
      { koa, routing: { routingError }, commonHeaders: {} },
      { identifiers, clock, metrics, logger: silent },
      {
        host: '127.0.0.1',
        port: 0,
        keepAliveMs: 75_000,
        timeLimits: { ...noLimits, stalledTimeout, stalledCheckingInterval: 50 },
        maximumConnections,
      },
    );
  };
  afterEach(() => server.stop());

  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const droppedFor = async (reason: string) =>
    Number(
      new RegExp(`connections_dropped_total\\{reason="${reason}"\\} (\\d+)`).exec(await metrics.text())?.[1],
    );

  it('destroys the connection of a client that does not read, although it continues to send', async () => {
    server = await start(500);
    const connection = await openConnection(server.address);
    connection.socket.pause();
    connection.write(get('/large'));
    const sending = setInterval(() => connection.socket.write('G'), 20);
    await eventually('the end of the connection', async () =>
      (await droppedFor('stalled')) === 1 ? true : null,
    );
    clearInterval(sending);
    connection.close();
  });

  it('serves a client that reads slowly', async () => {
    server = await start(5000);
    const connection = await openConnection(server.address);
    connection.write(get('/large'));
    const reading = setInterval(() => {
      if (connection.socket.isPaused()) {
        connection.socket.resume();
      } else {
        connection.socket.pause();
      }
    }, 100);
    await eventually('the whole response', () => (connection.received().length > bodyBytes ? true : null));
    clearInterval(reading);
    expect(await droppedFor('stalled')).to.equal(0);
    connection.close();
  });

  it('handles pipelined requests one after the other, and answers them in their order', async () => {
    server = await start(20_000);
    const connection = await openConnection(server.address);
    const paths = Array.from({ length: 40 }, (_, number) => `/${number}`);
    connection.write(paths.map(get).join(''));
    const text = await connection.receives(/\/39$/);
    expect([text.match(/(?<=\r\n\r\n)\/\d+/g), inFlight.most]).to.deep.equal([paths, 1]);
    connection.close();
  });

  it('closes the connection of a client that pipelines more than 50 requests', async () => {
    server = await start(20_000);
    const connection = await openConnection(server.address);
    connection.write(get('/').repeat(52));
    await connection.ended();
    expect(await droppedFor('pipelining')).to.equal(1);
  });

  it('counts the connections that it rejects beyond its maximum', async () => {
    server = await start(20_000, 1);
    const [first, second] = [await openConnection(server.address), await openConnection(server.address)];
    await second.ended();
    expect(await droppedFor('limit')).to.equal(1);
    first.close();
  });
});
