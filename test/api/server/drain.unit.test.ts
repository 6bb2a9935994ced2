import { PassThrough } from 'node:stream';

import { expect } from 'chai';
import Koa from 'koa';

import { apiError } from '../../../api/http/apiError.js';
import type { RequestState } from '../../../api/http/context.js';
import { startServer, type ApiServer } from '../../../api/server/server.js';
import { createLogger } from '../../../shared/core/logger.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import { createMetrics } from '../../../shared/runtime/metrics.js';
import { eventually } from '../../support/eventually.js';
import { openConnection } from '../support/connection.js';

/** More than the buffers of a connection hold. */
const largeBytes = 32 * 1024 * 1024;

/**
 * A server whose `/slow` delays its response, and whose `/long` delays the rest of its body. The query of a request is its name, and
 * the end of its response.
 */
async function startDrainable() {
  const waiting = new Map<string, () => void>();
  const handled: string[] = [];
  const release = (name: string) => waiting.get(name)?.();
  const koa = new Koa<RequestState>();
  koa.use(async (context) => {
    const { path, querystring: name } = context;
    handled.push(name);
    const released = new Promise<void>((resolve) => waiting.set(name, resolve));
    if (path === '/long') {
      const body = new PassThrough();
      body.write('begin ');
      void released.then(() => body.end(name));
      context.body = body;
      return;
    }
    if (path === '/large') {
      context.body = `${'x'.repeat(largeBytes)}${name}`;
      return;
    }
    if (path === '/slow') {
      await released;
    }
    context.body = name;
  });
  const server = await startServer(
    {
      koa,
      routing: {
        routingError: () => apiError('route_not_found', 'There is nothing at this path.'),
      },
      commonHeaders: {},
    },
    {
      identifiers: createIdentifiers(Math.random),
      clock: () => new Date(),
      metrics: createMetrics(),
      logger: createLogger({ role: 'test', level: 'silent', isTerminal: false }),
    },
    { host: '127.0.0.1', port: 0, keepAliveMs: 75_000 },
  );
  return { server, handled, release };
}

const get = (target: string) => `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** The values of the header `Connection` in all responses, in order. */
const announcements = (text: string) =>
  [...text.matchAll(/^Connection: (.*)\r$/gimu)].map(([, value]) => value);

describe('the drain of connections', () => {
  let drainable: Awaited<ReturnType<typeof startDrainable>>;
  let server: ApiServer;
  beforeEach(async () => {
    drainable = await startDrainable();
    server = drainable.server;
  });
  afterEach(async () => {
    drainable.handled.forEach(drainable.release);
    await server.stop();
  });

  const open = () => openConnection(server.address);

  const handles = (name: string) =>
    eventually(`the request ${name}`, () => (drainable.handled.includes(name) ? true : null));

  /** Once the server answers another connection, it has read all earlier bytes. */
  const turnOfServer = async () => {
    const other = await open();
    other.write(get('/?other'));
    await other.ended();
  };

  it('accepts new connections, and closes each after its first response', async () => {
    server.drain();
    const connection = await open();
    connection.write(get('/?a'));
    await connection.ended();
    expect(connection.received()).to.match(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\na$/u);
    expect(announcements(connection.received())).to.deep.equal(['close']);
  });

  it('answers the next request on an open connection, and then closes the connection', async () => {
    const connection = await open();
    connection.write(get('/?a'));
    await connection.receives(/a$/u);
    server.drain();
    connection.write(get('/?b'));
    await connection.ended();
    expect(connection.received()).to.match(/b$/u);
    expect(announcements(connection.received())).to.deep.equal(['keep-alive', 'close']);
  });

  it('announces the end of the connection to requests in flight', async () => {
    const connection = await open();
    connection.write(get('/slow?a'));
    await handles('a');
    server.drain();
    drainable.release('a');
    await connection.ended();
    expect(announcements(connection.received())).to.deep.equal(['close']);
  });

  it('answers all pipelined requests, earlier and later ones, and announces the end with the last response', async () => {
    const connection = await open();
    connection.write(get('/slow?a') + get('/?b'));
    await handles('a');
    server.drain();
    connection.write(get('/?c'));
    await turnOfServer();
    drainable.release('a');
    await connection.ended();
    expect(announcements(connection.received())).to.deep.equal(['keep-alive', 'keep-alive', 'close']);
    expect(connection.received()).to.match(/\r\na[^]*\r\nb[^]*\r\nc$/u);
  });

  it('ignores a request behind the announcement, because it cannot be answered', async () => {
    server.drain();
    const connection = await open();
    connection.write(get('/long?a'));
    await connection.receives(/begin/u);
    connection.write(get('/?b'));
    await turnOfServer();
    drainable.release('a');
    await connection.ended();
    expect(announcements(connection.received())).to.deep.equal(['close']);
    expect(drainable.handled).not.to.include('b');
  });

  it('does not delay a stop for connections that were never used', async () => {
    const inFlight = await open();
    inFlight.write(get('/slow?a'));
    const unused = await open();
    await handles('a');
    const stopped = server.stop();
    await unused.ended();
    drainable.release('a');
    await stopped;
    await inFlight.ended();
    expect(inFlight.received()).to.match(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\na$/u);
  });

  it('closes the connection of a response in flight after that response, when the server stops', async () => {
    const [begun, inFlight] = [await open(), await open()];
    begun.write(get('/long?a'));
    await begun.receives(/begin/u);
    inFlight.write(get('/slow?b'));
    await handles('b');
    const stopped = server.stop();
    drainable.release('a');
    await begun.ended();
    drainable.release('b');
    await stopped;
    await inFlight.ended();
    expect(inFlight.received()).to.match(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nb$/u);
  });

  it('completes a response to a client that reads slowly, when the server stops', async () => {
    const [reader, other] = [await open(), await open()];
    reader.socket.pause();
    reader.write(get('/large?a'));
    other.write(get('/slow?b'));
    await handles('a');
    await handles('b');
    const stopped = server.stop();
    drainable.release('b');
    await other.ended();
    reader.socket.resume();
    await stopped;
    await reader.ended();
    expect(reader.received().length).to.be.greaterThan(largeBytes);
    expect(reader.received().at(-1)).to.equal('a');
  });
});
