import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as endOfTurn } from 'node:timers/promises';

import type Koa from 'koa';

import type { ApiError } from '../http/apiError.js';
import type { RequestState } from '../http/context.js';
import { listen } from '../../shared/runtime/listen.js';
import {
  watchConnections,
  type ConnectionWatchDependencies,
  type ConnectionWatchTimes,
} from './connectionWatch.js';
import { createDrain } from './drain.js';
import { createPipelinedRequests, type HandleRequest } from './pipelining.js';
import { createProtocolErrors, type ProtocolErrorDependencies } from './protocolErrors.js';

/** The HTTP API as a Koa application. */
export interface ApiApplication {
  readonly koa: Koa<RequestState>;
  /** The headers of every answer. */
  readonly commonHeaders: Readonly<Record<string, string>>;
  /** The answers to requests that no route takes. */
  readonly routing: { readonly refuse: (path: string) => ApiError };
}

export interface ApiServer {
  /** `http://host:port` */
  readonly address: string;
  /** From now on each answer closes its connection. Requests and connections are accepted as before. */
  drain: () => void;
  /** Accepts nothing more and resolves when what was under way is answered, or was cut off by the deadline. */
  stop: () => Promise<void>;
}

export type ApiServerDependencies = Omit<ProtocolErrorDependencies, 'commonHeaders' | 'refuse'> &
  ConnectionWatchDependencies;

export interface ApiServerSettings {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** How long an idle connection stays open, in milliseconds. */
  readonly keepAliveMs: number;
  readonly timeLimits?: TimeLimits;
  readonly maximumConnections?: number;
}

/** How long clients may take, in milliseconds. */
export interface TimeLimits extends ConnectionWatchTimes {
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
  stalledTimeout: 30_000,
  stalledCheckingInterval: 2500,
};

/** Bounds what bodies under way may hold in memory. */
const usualMaximumConnections = 10_000;

/** What a stop waits for the answers that are under way: less than the process has in all. */
const stopDeadlineMs = 12_000;
/** How long a stop waits for the first request on a connection that has had none. */
const unusedMs = 1000;

/** Serves the application over HTTP. */
export async function startServer(
  { koa, routing, commonHeaders }: ApiApplication,
  dependencies: ApiServerDependencies,
  {
    host,
    port,
    keepAliveMs: keepAliveTimeout,
    timeLimits = usualTimeLimits,
    maximumConnections = usualMaximumConnections,
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
  // Without its own check for a Host header, which answers without a request id: the application has one.
  const server = createServer({ ...timeLimits, keepAliveTimeout, requireHostHeader: false });
  server.on('request', onRequest);
  server.maxConnections = maximumConnections;
  const watch = watchConnections(server, dependencies, timeLimits);
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
      void behindAnswers(inOrder.pendingOn(socket), socket, () => {
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
      const open = { underWay: inOrder.pending, connections: watch.connections() };
      return stop(server, open).finally(watch.stop);
    },
  };
}

/**
 * Answers what is not HTTP once the requests before it on the connection have their own answers: their client would take
 * it for one of those, and an event that is stored for one that was refused.
 */
async function behindAnswers(
  responses: readonly ServerResponse[],
  socket: Duplex,
  answer: () => void,
): Promise<void> {
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
  readonly connections: Iterable<Socket>;
}

async function stop(server: Server, { underWay, connections }: OpenWork): Promise<void> {
  // What has reached this machine is read first: the timers of a busy process run before its reads, and a reset would cut requests off.
  await endOfTurn();
  await endOfTurn();
  const closed = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => {
      resolve();
    });
  });
  const closeIdle = () => {
    // Node takes a complete answer for a sent one, and would cut it off while its client still reads.
    if (![...underWay].some(({ writableEnded }) => writableEnded)) {
      server.closeIdleConnections();
    }
  };
  closeIdle();
  for (const response of underWay) {
    // An answer that was being sent before has announced nothing: its connection would stay open for the next request.
    response.once('close', closeIdle);
  }
  const unused = setTimeout(() => {
    for (const socket of connections) {
      // Clients open connections ahead. Node does not count one that has never been used as idle, and would wait for its first request.
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
