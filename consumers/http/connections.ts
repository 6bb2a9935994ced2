import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';

export interface ConnectionBounds {
  /** Connections in use at once, for each of http and https. */
  readonly maxInUse: number;
  /** Of those, to one host and port. */
  readonly maxInUsePerHost: number;
  /** Connections kept for the next attempt, to all hosts; beyond it the one that has been idle longest is closed. */
  readonly maxIdle: number;
  /** Of those, to one host and port. */
  readonly maxIdlePerHost: number;
  /** Milliseconds; a shorter `Keep-Alive: timeout` of the receiver wins. */
  readonly maxIdleMs: number;
  /** Bytes of one answer, informational responses, head and framing included. */
  readonly maxAnswerBytes: number;
}

/** One TCP or TLS connection, as the exchange sees it that has it now. */
export interface Connection {
  /** Whether another exchange had it before. */
  readonly reused: boolean;
  /** Whether it ended with an error, such as a reset. */
  readonly broken: boolean;
  /**
   * Bounds what arrives from now on, and calls `onClosed` when the connection closes.
   * @returns ends that, unless the next exchange has begun already: an agent hands a connection on while its last response
   * may still be being read
   */
  begin: (onClosed: () => void) => () => void;
}

export interface WebhookConnections {
  /**
   * Runs what starts an exchange with an agent, and tells which connection it was given: null where it waits for one.
   * `fresh` gives one that was never used and is not kept.
   */
  start: <Exchange>(
    protocol: string,
    fresh: boolean,
    exchange: (agent: http.Agent) => Exchange,
  ) => { readonly exchange: Exchange; readonly connection: Connection | null };
  /** Connections that are open now. */
  count: () => number;
  /** Closes all of them. */
  close: () => void;
}

export const responseTooLong = 'ERR_ANSWER_TOO_LONG';

/** What Node tries for one address before the next one is tried: its own 250 ms would give up on distant receivers. */
const addressTimeoutMs = 2_500;

interface TrackedConnection extends Connection {
  reused: boolean;
  broken: boolean;
  idle: boolean;
}

/** A pool of keep-alive connections per host, bounded in use, at rest, in time and in what a receiver may send. */
export function createWebhookConnections(
  lookup: LookupFunction,
  bounds: ConnectionBounds,
): WebhookConnections {
  const open = new Map<Duplex, TrackedConnection>();
  // In the order in which they came to rest.
  const idle = new Set<Duplex>();
  // An agent hands out a connection within the call that asks for it; only so can it be known whose it is.
  let handedOut: Connection | null = null;

  const track = (socket: Duplex): void => {
    const connection = trackConnection(socket, bounds.maxAnswerBytes);
    open.set(socket, connection);
    socket.once('close', () => {
      open.delete(socket);
      idle.delete(socket);
    });
    handedOut = connection;
  };

  const rest = (socket: Duplex): void => {
    const connection = open.get(socket);
    if (connection === undefined || socket.destroyed) {
      return;
    }
    connection.idle = true;
    idle.add(socket);
    if (idle.size > bounds.maxIdle) {
      const [longestIdle] = idle;
      longestIdle?.destroy();
    }
  };

  const reuse = (socket: Duplex): void => {
    const connection = open.get(socket);
    if (connection !== undefined) {
      idle.delete(socket);
      connection.idle = false;
      connection.reused = true;
      handedOut = connection;
    }
  };

  const options: https.AgentOptions = {
    lookup,
    autoSelectFamilyAttemptTimeout: addressTimeoutMs,
    maxSockets: bounds.maxInUsePerHost,
    // An agent counts idle connections too, and would let a new host wait for one of them to time out.
    maxTotalSockets: bounds.maxInUse + bounds.maxIdle,
    maxFreeSockets: bounds.maxIdlePerHost,
    timeout: bounds.maxIdleMs,
  };
  const hooks = { track, rest, reuse };
  const agents = (keepAlive: boolean): Record<string, http.Agent> => ({
    'http:': hook(new http.Agent({ ...options, keepAlive }), hooks),
    'https:': hook(new https.Agent({ ...options, keepAlive }), hooks),
  });
  const keptAgents = agents(true);
  const freshAgents = agents(false);

  return {
    start: (protocol, fresh, exchange) => {
      const agent = (fresh ? freshAgents : keptAgents)[protocol];
      if (agent === undefined) {
        throw new TypeError(`there are no connections for ${protocol}`);
      }
      handedOut = null;
      const started = exchange(agent);
      return { exchange: started, connection: handedOut };
    },
    count: () => open.size,
    close: () => {
      for (const socket of open.keys()) {
        socket.destroy();
      }
    },
  };
}

interface Hooks {
  readonly track: (socket: Duplex) => void;
  readonly rest: (socket: Duplex) => void;
  readonly reuse: (socket: Duplex) => void;
}

/** The three methods of an agent that Node documents as its extension points. */
function hook(agent: http.Agent, hooks: Hooks): http.Agent {
  const create = agent.createConnection.bind(agent);
  const keep: (socket: Duplex) => unknown = agent.keepSocketAlive.bind(agent);
  const reuse = agent.reuseSocket.bind(agent);
  agent.createConnection = (options, callback) => {
    const socket = create(options, callback);
    if (socket !== null && socket !== undefined) {
      hooks.track(socket);
    }
    return socket;
  };
  agent.keepSocketAlive = (socket) => {
    const kept = keep(socket) === true;
    if (kept) {
      hooks.rest(socket);
    }
    return kept;
  };
  agent.reuseSocket = (socket, request) => {
    reuse(socket, request);
    hooks.reuse(socket);
  };
  return agent;
}

function trackConnection(socket: Duplex, maxAnswerBytes: number): TrackedConnection {
  let received = 0;
  let onClosed: (() => void) | null = null;
  const connection: TrackedConnection = {
    reused: false,
    broken: false,
    idle: false,
    begin: (whenClosed) => {
      received = 0;
      onClosed = whenClosed;
      return () => {
        onClosed = onClosed === whenClosed ? null : onClosed;
      };
    },
  };
  watchArrivals(socket, (bytes) => {
    received += bytes;
    if (connection.idle) {
      // More than the answer, such as a body behind a 204: it must not be read as the answer to the next request.
      socket.destroy();
    } else if (onClosed !== null && received > maxAnswerBytes) {
      // Node's parser takes 1xx responses, trailers and chunk extensions without an end.
      socket.destroy(Object.assign(new Error('the answer is too long'), { code: responseTooLong }));
    }
  });
  socket.once('error', () => {
    connection.broken = true;
  });
  socket.once('close', () => onClosed?.());
  return connection;
}

/**
 * Tells of each chunk as it arrives. It is no listener of `data`: as long as a connection has one, node-fetch takes chunks that
 * have ended for cut off.
 */
function watchArrivals(socket: Duplex, onArrival: (bytes: number) => void): void {
  const push = socket.push.bind(socket);
  socket.push = (chunk: Buffer | null, encoding) => {
    if (chunk !== null) {
      onArrival(chunk.length);
    }
    return push(chunk, encoding);
  };
}
