import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { listen } from '../shared/listen.js';
import type { ApiApplication } from './app.js';
import { createDrain } from './drain.js';
import { createProtocolErrors, type ProtocolErrorDependencies } from './protocolErrors.js';

export interface ApiServer {
  /** `http://host:port` */
  readonly address: string;
  /** From now on each answer closes its connection. Requests and connections are accepted as before. */
  drain: () => void;
  /** Accepts nothing more and resolves when what was under way is answered, or was cut off by the deadline. */
  stop: () => Promise<void>;
}

export type ApiServerDependencies = Omit<ProtocolErrorDependencies, 'commonHeaders' | 'refuse'>;

export interface ApiServerSettings {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** How long an idle connection stays open, in milliseconds. */
  readonly keepAliveMs: number;
  readonly timeLimits?: TimeLimits;
}

/** How long clients may take, in milliseconds. */
export interface TimeLimits {
  /** For the header of a request, from the connection or the request before it on. */
  readonly headersTimeout: number;
  /** For a whole request, its body included. */
  readonly requestTimeout: number;
  /** How often the two are looked at. */
  readonly connectionsCheckingInterval: number;
}

const usualTimeLimits: TimeLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2000,
};

/** Bounds what bodies under way may hold in memory. */
const maximumConnections = 10_000;

/** What a stop waits for the answers that are under way: less than the process has in all. */
const stopDeadlineMs = 12_000;

/** Serves the application over HTTP. */
export async function startServer(
  { koa, routing, commonHeaders }: ApiApplication,
  dependencies: ApiServerDependencies,
  { host, port, keepAliveMs: keepAliveTimeout, timeLimits = usualTimeLimits }: ApiServerSettings,
): Promise<ApiServer> {
  const handle = koa.callback();
  const underWay = new Set<ServerResponse>();
  const connections = new Set<Socket>();
  const drain = createDrain(underWay);
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    if (!drain.admit(response)) {
      return;
    }
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
    void handle(request, response);
  };
  // Without its own check for a Host header, which answers without a request id: the application has one.
  const server = createServer({ ...timeLimits, keepAliveTimeout, requireHostHeader: false }, onRequest);
  server.maxConnections = maximumConnections;
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const { onClientError, onConnect } = createProtocolErrors({
    ...dependencies,
    commonHeaders,
    refuse: routing.refuse,
  });
  const failed = new WeakSet<Duplex>();
  server.on('connect', onConnect).on('clientError', (error, socket) => {
    // All that comes behind what is not HTTP is reported again.
    if (!failed.has(socket)) {
      failed.add(socket);
      void behindAnswers(underWay, socket, () => {
        onClientError(error, socket);
      });
    }
  });
  // An expectation that is not known is not met, and need not be (RFC 9110 section 10.1.1).
  server.on('checkExpectation', onRequest);
  const address = await listen(server, { host, port });
  return {
    address,
    drain: drain.begin,
    stop: () => {
      drain.begin();
      return stop(server, { underWay, connections });
    },
  };
}

/**
 * Answers what is not HTTP once the requests before it on the connection have their own answers: their client would take
 * it for one of those, and an event that is stored for one that was refused.
 */
async function behindAnswers(
  underWay: ReadonlySet<ServerResponse>,
  socket: Duplex,
  answer: () => void,
): Promise<void> {
  const responses = [...underWay].filter(({ req }) => req.socket === socket);
  const earlier = responses.filter(({ req }) => req.complete);
  await Promise.all(earlier.map((response) => once(response, 'close')));
  if (responses.some(({ req, headersSent }) => !req.complete && headersSent)) {
    // What is not HTTP is the rest of a request that has its answer: anything more would be read as part of that.
    socket.destroy();
  } else {
    answer();
  }
}

interface OpenWork {
  readonly underWay: ReadonlySet<ServerResponse>;
  readonly connections: ReadonlySet<Socket>;
}

async function stop(server: Server, { underWay, connections }: OpenWork): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
  for (const response of underWay) {
    // An answer that was being sent before has announced nothing: its connection would stay open for the next request.
    response.once('close', () => {
      server.closeIdleConnections();
    });
  }
  for (const socket of connections) {
    // Clients open connections ahead. Node does not count one that has never been used as idle, and would wait for its first request.
    if (socket.bytesRead === 0) {
      socket.destroy();
    }
  }
  const deadline = setTimeout(() => {
    server.closeAllConnections();
  }, stopDeadlineMs);
  await closed;
  clearTimeout(deadline);
}
