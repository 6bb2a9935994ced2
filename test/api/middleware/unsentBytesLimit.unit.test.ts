import { expect } from 'chai';
import Koa from 'koa';

import { apiError } from '../../../api/http/apiError.js';
import type { RequestState } from '../../../api/http/context.js';
import { createErrorMapping, createRequestIds } from '../../../api/middleware/observability.js';
import { createUnsentBytesLimit } from '../../../api/middleware/unsentBytesLimit.js';
import { createRouting } from '../../../api/routing.js';
import { startServer, type ApiServer } from '../../../api/server/server.js';
import { createUnsentBytes, type UnsentBytes } from '../../../api/server/unsentBytes.js';
import { createLogger } from '../../../shared/core/logger.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import { createMetrics } from '../../../shared/runtime/metrics.js';
import { eventually } from '../../support/eventually.js';
import { call, errorOf } from '../support/client.js';
import { openConnection, type Connection } from '../support/connection.js';
import { routeTable } from '../support/routeTable.js';
import { unusedSteps } from '../support/unusedSteps.js';

const mebibyte = 1024 * 1024;
/** More than the operating system buffers of a response that the client does not read. */
const bodyBytes = 16 * mebibyte;
const identifiers = createIdentifiers(Math.random);
const clock = () => new Date();
const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
const routingError = () => apiError('route_not_found', 'There is nothing here.');

function applicationWith(unsentBytes: UnsentBytes, unconfirmedMs?: number): Koa<RequestState> {
  const koa = new Koa<RequestState>();
  koa.use(createRequestIds(identifiers, clock, {})).use(createErrorMapping(logger));
  koa.on('error', () => undefined);
  koa.use((context, next) => {
    // Instead of the authentication: each path has an account.
    context.state.caller = callerOf(context.path);
    return next();
  });
  koa.use(createUnsentBytesLimit(unsentBytes, unconfirmedMs));
  koa.use((context) => {
    if (context.query['size'] === 'encoded') {
      context.set({ ETag: '"1"', 'Content-Encoding': 'br', 'Cache-Control': 'public' });
    }
    context.body = context.query['size'] === 'small' ? 'x' : Buffer.alloc(sizeOf(context.query['size']), 'y');
  });
  return koa;
}

function sizeOf(size: unknown): number {
  return size === 'page' ? mebibyte : bodyBytes;
}

function callerOf(accountId: string): RequestState['caller'] {
  return {
    accountId,
    mode: 'live',
    plan: 'pro',
    requestsPerSecond: 100,
    scopes: null,
    isSuspended: false,
    expiresAt: null,
    actor: { type: 'api_key', id: 'key_1', name: 'test' },
    session: null,
    tenant: null,
  };
}

function serve(koa: Koa<RequestState>): Promise<ApiServer> {
  return startServer(
    { koa, routing: { routingError }, commonHeaders: {} },
    { identifiers, clock, metrics: createMetrics(), logger },
    { host: '127.0.0.1', port: 0, keepAliveMs: 75_000 },
  );
}

describe('the limit of unsent bytes of an account', () => {
  let server: ApiServer;
  let unsentBytes: UnsentBytes;
  let opened: Connection[];
  beforeEach(async () => {
    opened = [];
    unsentBytes = createUnsentBytes({ ofProcess: 4 * bodyBytes, ofOwner: 2 * bodyBytes });
    server = await serve(applicationWith(unsentBytes, 50));
  });
  afterEach(async () => {
    for (const { close } of opened) {
      close();
    }
    await server.stop();
  });

  /** A client that sends a request, and does not read the response. */
  const leaveUnread = async (path: string) => {
    const connection = await openConnection(server.address);
    opened.push(connection);
    connection.socket.pause();
    connection.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  };
  const ask = async (path: string, method = 'GET') => {
    const response = await fetch(`${server.address}${path}`, { method });
    const text = await response.text();
    const code = response.ok ? null : errorOf({ text }).code;
    return { status: response.status, headers: response.headers, length: text.length, code };
  };
  const unread = (count: number) =>
    eventually(`${count} responses that are not read`, () =>
      unsentBytes.total() === count * bodyBytes ? true : null,
    );

  it('answers 503 to an account whose clients do not read, and states when to retry', async () => {
    await Promise.all([leaveUnread('/a'), leaveUnread('/a')]);
    await unread(2);
    const { status, code, headers } = await ask('/a');
    expect([status, code, headers.get('retry-after')]).to.deep.equal([503, 'service_unavailable', '5']);
  });

  it('rejects a response that does not fit, and drops its headers', async () => {
    unsentBytes.add('/a', 2 * bodyBytes - mebibyte);
    const { status, headers } = await ask('/a?size=encoded');
    const own = ['etag', 'content-encoding', 'cache-control'].map((name) => headers.get(name));
    expect([status, ...own]).to.deep.equal([503, null, null, 'no-store']);
  });

  it('does not affect another account', async () => {
    await Promise.all([leaveUnread('/a'), leaveUnread('/a')]);
    await unread(2);
    expect((await ask('/b')).length).to.equal(bodyBytes);
  });

  it('bounds the bytes of the process, and leaves an equal share to an account whose clients read', async () => {
    await Promise.all(['/a', '/a', '/b', '/b'].map(leaveUnread));
    await unread(4);
    expect((await ask('/c')).length).to.equal(bodyBytes);
  });

  it('allows responses again once the clients have closed their connections', async () => {
    await Promise.all([leaveUnread('/a'), leaveUnread('/a')]);
    await unread(2);
    opened.forEach(({ close }) => {
      close();
    });
    await unread(0);
    expect((await ask('/a')).status).to.equal(200);
  });

  it('allows the response to a change, whatever other responses are unread', async () => {
    await leaveUnread('/a');
    await unread(1);
    unsentBytes.add('/a', bodyBytes - mebibyte);
    expect((await ask('/a', 'POST')).status).to.equal(200);
  });

  it('stops counting a response that the operating system has buffered after a while', async () => {
    expect((await ask('/a?size=page')).length).to.equal(mebibyte);
    await unread(0);
  });

  it('keeps the content length of a response that is sent in pieces', async () => {
    const { headers } = await ask('/a');
    expect(headers.get('content-length')).to.equal(String(bodyBytes));
  });

  it('does not count a small response', async () => {
    await ask('/a?size=small');
    expect(unsentBytes.total()).to.equal(0);
  });
});

describe('the limit of unsent bytes, for responses that the operating system has buffered', () => {
  let server: ApiServer;
  let unsentBytes: UnsentBytes;
  let connection: Connection;
  before(async () => {
    unsentBytes = createUnsentBytes();
    server = await serve(applicationWith(unsentBytes, 600_000));
  });
  after(() => server.stop());
  beforeEach(async () => {
    connection = await openConnection(server.address);
  });
  afterEach(() => {
    connection.close();
  });

  it('counts a response until the next request of the client shows that it was read', async () => {
    const request = `GET /a?size=page HTTP/1.1\r\nHost: x\r\n\r\n`;
    connection.write(request);
    await eventually('the response', () => (connection.received().length > mebibyte ? true : null));
    const before = unsentBytes.total();
    connection.write(request.replace('page', 'small'));
    await eventually('the next response', () => (connection.received().endsWith('x') ? true : null));
    expect([before, unsentBytes.total()]).to.deep.equal([mebibyte, 0]);
  });

  it('does not count the response to a change, so that clients can post large events on many connections', async () => {
    const before = unsentBytes.total();
    connection.write(`POST /b?size=page HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`);
    await eventually('the response', () => (connection.received().length > mebibyte ? true : null));
    await eventually('the end of its count', () => (unsentBytes.total() === before ? true : null));
  });

  it('counts the responses to pipelined requests', async () => {
    connection.write(`GET /a?size=page HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(2));
    await eventually('both responses', () => (connection.received().length > 2 * mebibyte ? true : null));
    expect(unsentBytes.total()).to.equal(2 * mebibyte);
  });
});

describe('the limit of unsent bytes of a network', () => {
  let server: ApiServer;
  before(async () => {
    const unsentBytes = createUnsentBytes();
    unsentBytes.add('127.0.0.1', 12 * mebibyte);
    const koa = new Koa<RequestState>();
    koa.use(createRequestIds(identifiers, clock, {})).use(createErrorMapping(logger));
    createRouting(routeTable, {
      ...unusedSteps,
      unsentBytesLimit: createUnsentBytesLimit(unsentBytes),
    }).install(koa);
    server = await serve(koa);
  });
  after(() => server.stop());

  const openRoutes = routeTable.filter(({ access }) => access === 'anyone');
  it('answers 503 to each open route of a network whose clients do not read, except probes', async () => {
    const answers = await Promise.all(
      openRoutes.map(async ({ method, path, pathParameter, isProbe }) => {
        const target = path.replace(/:\w+/, pathParameter?.values[0] ?? 'any');
        return isProbe === true ? [] : [[path, (await call(server.address, target, { method })).status]];
      }),
    );
    expect(answers.flat().filter(([, status]) => status !== 503)).to.deep.equal([]);
    expect(answers.flat()).to.have.lengthOf.above(5);
  });
});
