import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as endOfTurn } from 'node:timers/promises';

import type Koa from 'koa';

import { listen } from '../../shared/runtime/listen.js';
import type { ApiError } from '../http/apiError.js';
import type { RequestState } from '../http/context.js';
import {
  watchConnections,
  type ConnectionWatchDependencies,
  type ConnectionWatchTimes,
} from './connectionWatch.js';
import { createDrain } from './drain.js';
import { createPipelinedRequests, type HandleRequest } from './pipelining.js';
import { createProtocolErrors, type ProtocolErrorDependencies } from './protocolErrors.js';

export interface ApiApplication {
  readonly koa: Koa<RequestState>;
  readonly commonHeaders: Readonly<Record<string, string>>;
  /** The errors for requests without a route. */
  readonly routing: { readonly routingError: (path: string) => ApiError };
}

export interface ApiServer {
  /** The address of the server: `http://host:port`. */
  readonly address: string;
  /** Makes each later response close its connection. The server still accepts requests and connections. */
  drain: () => void;
  /**
   * Stops accepting connections. The promise resolves when the requests in flight have responses, or at the deadline.
   */
  stop: () => Promise<void>;
}

export type ApiServerDependencies = Omit<ProtocolErrorDependencies, 'commonHeaders' | 'routingError'> &
  ConnectionWatchDependencies;

export interface ApiServerSettings {
  readonly host: string;
  /** The port of the server. 0 selects a free port. */
  readonly port: number;
  /** The time that an idle connection stays open, in milliseconds. */
  readonly keepAliveMs: number;
  readonly timeLimits?: TimeLimits;
  readonly maximumConnections?: number;
}

/** Time limits for clients, in milliseconds. */
export interface TimeLimits extends ConnectionWatchTimes {
  /** The time limit for the header of a request, since the connection or the previous request. */
  readonly headersTimeout: number;
  /** The time limit for a whole request, including its body. */
  readonly requestTimeout: number;
  /** The interval between checks of `headersTimeout` and `requestTimeout`. */
  readonly connectionsCheckingInterval: number;
}

const defaultTimeLimits: TimeLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2000,
  stalledTimeout: 30_000,
  stalledCheckingInterval: 2500,
};

/** The default limit of connections. The connection limit bounds the memory of request bodies. */
const defaultMaximumConnections = 10_000;

/** The time limit for a stop of the server, which is shorter than the time limit of the process. */
const stopDeadlineMs = 12_000;
/** How long a stop waits for the first request of a new connection. */
const unusedMs = 1000;

export async function startServer(
  { koa, routing, commonHeaders }: ApiApplication,
  dependencies: ApiServerDependencies,
  {
    host,
    port,
    keepAliveMs: keepAliveTimeout,
    timeLimits = defaultTimeLimits,
    maximumConnections = defaultMaximumConnections,
  }: ApiServerSettings,
): Promise<ApiServer> {
  const handle = koa.callback();
  const inOrder = createPipelinedRequests(
    (request, response) => void handle(request, response),
    (socket) => {
      watch.drop(socket, 'pipelining');
    },
  );
  const drain = createDrain(inOrder.pending);
  const onRequest: HandleRequest = (request, response) => {
    if (drain.admit(response)) {
      inOrder.onRequest(request, response);
    }
  };
  // The application checks the Host header, because the check of Node sends a response without a request id.
  const server = createServer({ ...timeLimits, keepAliveTimeout, requireHostHeader: false });
  server.on('request', onRequest);
  server.maxConnections = maximumConnections;
  const watch = watchConnections(server, dependencies, timeLimits);
  const { onClientError, onConnect } = createProtocolErrors({
    ...dependencies,
    commonHeaders,
    routingError: routing.routingError,
  });
  const failed = new WeakSet<Duplex>();
  server.on('connect', onConnect).on('clientError', (error, socket) => {
    // After invalid HTTP, Node reports each further packet of the connection again.
    if (!failed.has(socket)) {
      failed.add(socket);
      void afterResponses(inOrder.pendingOn(socket), socket, () => {
        onClientError(error, socket);
      });
    }
  });
  // A server may ignore an unknown expectation (RFC 9110 section 10.1.1), so the request is handled as usual.
  server.on('checkExpectation', onRequest);
  const address = await listen(server, { host, port });
  return {
    address,
    drain: drain.start,
    stop: () => {
      drain.start();
      const open = { inFlight: inOrder.pending, connections: watch.connections() };
      return stop(server, open).finally(watch.stop);
    },
  };
}

/**
 * Sends the response to invalid HTTP after the responses to earlier requests of the connection. In another order, the
 * client would read the error as the response to an earlier request, for example to a stored event.
 */
async function afterResponses(
  responses: readonly ServerResponse[],
  socket: Duplex,
  answer: () => void,
): Promise<void> {
  const earlier = responses.filter(({ req }) => req.complete);
  await Promise.all(earlier.map((response) => once(response, 'close')));
  if (responses.some(({ req, headersSent }) => !req.complete && headersSent)) {
    // The invalid bytes belong to a request that already has a response. A client would read more bytes as part of that
    // response.
    socket.destroy();
  } else {
    answer();
  }
}

interface OpenWork {
  readonly inFlight: ReadonlySet<ServerResponse>;
  readonly connections: Iterable<Socket>;
}

async function stop(server: Server, { inFlight, connections }: OpenWork): Promise<void> {
  // The server reads the requests that have arrived. In a busy process timers run before reads, and a connection reset
  // would lose those requests.
  await endOfTurn();
  await endOfTurn();
  const closed = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => {
      resolve();
    });
  });
  const closeIdle = () => {
    // Node considers a complete response as sent, and would truncate the response while the client is reading.
    if (![...inFlight].some(({ writableEnded }) => writableEnded)) {
      server.closeIdleConnections();
    }
  };
  closeIdle();
  for (const response of inFlight) {
    // A response that started before the drain announces no close, so its connection would stay open.
    response.once('close', closeIdle);
  }
  const unused = setTimeout(() => {
    for (const socket of connections) {
      // Clients open connections in advance. Node does not count an unused connection as idle, and would wait for the
      // connection's first request.
      if (socket.bytesRead === 0) {
        socket.destroy();
      }
    }
  }, unusedMs);
  const deadline = setTimeout(() => {
    server.closeAllConnections();
  }, stopDeadlineMs);
  await closed;
  clearTimeout(unused);
  clearTimeout(deadline);
}
