import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { PassThrough, type Duplex } from 'node:stream';
import { createSecureContext } from 'node:tls';

import type { ClientCertificate } from '../../shared/domain/webhooks/authentication.js';

export interface ConnectionBounds {
  /** The most connections in use at once, for each of http and https. */
  readonly maxInUse: number;
  /** The most connections in use to one host and port. */
  readonly maxInUsePerHost: number;
  /** The most idle connections to all hosts. Beyond this limit, the connection that has been idle longest is closed. */
  readonly maxIdle: number;
  /** The most idle connections to one host and port. */
  readonly maxIdlePerHost: number;
  /**
   * The idle time in milliseconds after which a connection is closed. A receiver shortens it by `Keep-Alive: timeout`.
   */
  readonly maxIdleMs: number;
  /** The most bytes of one response, including informational responses, headers and framing. */
  readonly maxResponseBytes: number;
  /** The most webhooks whose agents with certificates are kept. The connections of a forgotten agent end when idle. */
  readonly maxIdentities: number;
}

/** One TCP or TLS connection, for the exchange that currently uses it. */
export interface Connection {
  /** Whether the connection to the receiver exists or existed: TCP was connected, or the tunnel was open. */
  readonly made: boolean;
  /** Whether the connection ended with an error, such as a reset. */
  readonly broken: boolean;
  /**
   * Whether a request that was lost on the connection may be sent again: an earlier exchange has used the connection,
   * the receiver has sent no byte since `begin`, and this process has not closed the connection.
   */
  readonly mayRepeat: () => boolean;
  /**
   * Starts to count the response bytes of an exchange, and calls `onClosed` when the connection closes.
   * @returns a function that removes `onClosed`. The function has no effect after the next exchange has begun, because
   * an agent may reuse a connection before its last response is complete
   */
  readonly begin: (onClosed: () => void) => () => void;
}

/** The connections that an exchange may use. */
export interface ConnectionUse {
  /** `https:` or `http:`. */
  readonly protocol: string;
  /** Whether to use a new connection, which is closed after the exchange. */
  readonly fresh: boolean;
  /** The certificate of a webhook, whose connections serve no other webhook. Null for connections without one. */
  readonly identity: ClientIdentity | null;
}

/** The certificate with which this process authenticates in TLS. */
export interface ClientIdentity extends Pick<ClientCertificate, 'certificate' | 'privateKey'> {
  /** The webhook and its version, which together identify the certificate. */
  readonly owner: string;
}

export interface WebhookConnections {
  /**
   * Starts an exchange with an agent, and returns the connection of the exchange. The connection is null if the
   * exchange waits for a connection.
   * @throws Error if TLS cannot use the certificate of the identity
   */
  readonly start: <Exchange>(
    use: ConnectionUse,
    exchange: (agent: http.Agent) => Exchange,
  ) => { readonly exchange: Exchange; readonly connection: Connection | null };
  readonly count: () => number;
  readonly close: () => void;
}

/** Opens a connection to a host through a proxy, instead of a direct connection. */
export type OpenTunnel = (options: { readonly host: string; readonly port: number }) => Promise<Duplex>;

export const responseTooLong = 'ERR_ANSWER_TOO_LONG';
export const protocolSwitched = 'ERR_PROTOCOL_SWITCHED';

/**
 * How long Node tries one address before the next address. Node's default of 250 ms is too short for distant receivers.
 */
const addressTimeoutMs = 2_500;

interface TrackedConnection extends Connection {
  made: boolean;
  broken: boolean;
  reused: boolean;
  idle: boolean;
  /** Whether this process has closed the connection. */
  closed: boolean;
  /** Observes the socket of the connection, which exists only after its tunnel is open. */
  readonly attach: (socket: Duplex) => void;
}

/**
 * A pool of keep-alive connections per host, with limits for used and idle connections, idle time, and response size.
 * @param openTunnel opens each connection through a proxy; null for direct connections
 */
export function createWebhookConnections(
  lookup: LookupFunction,
  bounds: ConnectionBounds,
  openTunnel: OpenTunnel | null = null,
): WebhookConnections {
  const open = new Map<Duplex, TrackedConnection>();
  // The idle connections, in the order in which they became idle.
  const idle = new Set<Duplex>();
  // The connection that an agent has assigned last. An agent assigns connections synchronously, so this variable shows
  // which exchange has the connection.
  let handedOut: Connection | null = null;

  const expect = () => {
    const connection = trackedConnection(bounds.maxResponseBytes);
    handedOut = connection;
    return (socket: Duplex, isConnected: boolean): void => {
      connection.made = isConnected;
      connection.attach(socket);
      open.set(socket, connection);
      socket.once('close', () => {
        open.delete(socket);
        idle.delete(socket);
      });
    };
  };

  const keepIdle = (socket: Duplex): void => {
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
    // An agent counts idle connections too. A new host must not wait until an idle connection times out.
    maxTotalSockets: bounds.maxInUse + bounds.maxIdle,
    maxFreeSockets: bounds.maxIdlePerHost,
    timeout: bounds.maxIdleMs,
  };
  const hooks = { expect, keepIdle, reuse, openTunnel };
  const agents = (tls: https.AgentOptions): Agents => {
    const pair = (keepAlive: boolean) => ({
      'http:': hook(new http.Agent({ ...options, keepAlive }), hooks),
      'https:': hook(new https.Agent({ ...options, ...tls, keepAlive }), hooks),
    });
    return { kept: pair(true), fresh: pair(false) };
  };
  const anonymous = agents({});
  // In the order of their last use.
  const identified = new Map<string, Agents>();

  const agentsOf = ({ owner, certificate: cert, privateKey: key }: ClientIdentity): Agents => {
    const found = identified.get(owner) ?? agents({ secureContext: createSecureContext({ cert, key }) });
    identified.delete(owner);
    identified.set(owner, found);
    if (identified.size > bounds.maxIdentities) {
      const [unusedLongest = owner] = identified.keys();
      identified.delete(unusedLongest);
    }
    return found;
  };

  return {
    start: ({ protocol, fresh, identity }, exchange) => {
      const { [fresh ? 'fresh' : 'kept']: byProtocol } = identity === null ? anonymous : agentsOf(identity);
      const agent = byProtocol[protocol];
      if (agent === undefined) {
        throw new TypeError(`unsupported protocol: ${protocol}`);
      }
      handedOut = null;
      const started = exchange(agent);
      return { exchange: started, connection: handedOut };
    },
    count: () => open.size,
    close: () => {
      for (const [socket, connection] of open) {
        connection.closed = true;
        socket.destroy();
      }
    },
  };
}

/** Agents by protocol: those that keep connections, and those that close each after its exchange. */
interface Agents {
  readonly kept: Readonly<Record<string, http.Agent>>;
  readonly fresh: Readonly<Record<string, http.Agent>>;
}

interface Hooks {
  /** Tracks a connection for the exchange that starts now. Returns the function that receives its socket. */
  readonly expect: () => (socket: Duplex, isConnected: boolean) => void;
  readonly openTunnel: OpenTunnel | null;
  readonly keepIdle: (socket: Duplex) => void;
  readonly reuse: (socket: Duplex) => void;
}

/** The method that Node calls for each request. Node requires it of every agent, and its types lack it. */
type RequestAgent = http.Agent & { addRequest: (request: http.ClientRequest, options: unknown) => void };

/** Adds the hooks to the three methods of an agent that Node documents as extension points, and to `addRequest`. */
function hook(agent: http.Agent, hooks: Hooks): http.Agent {
  failOnSwitch(agent as RequestAgent);
  const create = agent.createConnection.bind(agent);
  const keep: (socket: Duplex) => unknown = agent.keepSocketAlive.bind(agent);
  const reuse = agent.reuseSocket.bind(agent);
  const { openTunnel } = hooks;
  agent.createConnection = (options, callback) => {
    const track = hooks.expect();
    if (openTunnel === null) {
      const socket = create(options, callback);
      if (socket !== null && socket !== undefined) {
        track(socket, false);
      }
      return socket;
    }
    // Node ignores the stream next to an error.
    const unused = new PassThrough();
    openTunnel({ host: options.host ?? '', port: Number(options.port) }).then(
      (tunnel) => {
        const connected = agent instanceof https.Agent ? tlsOver(tunnel, options, create) : tunnel;
        track(connected, true);
        callback?.(null, connected);
      },
      (error: unknown) => {
        callback?.(error instanceof Error ? error : new Error(String(error)), unused);
      },
    );
    return undefined;
  };
  agent.keepSocketAlive = (socket) => {
    const kept = keep(socket) === true;
    if (kept) {
      hooks.keepIdle(socket);
    }
    return kept;
  };
  agent.reuseSocket = (socket, request) => {
    reuse(socket, request);
    hooks.reuse(socket);
  };
  return agent;
}

/**
 * Lets a request fail with `protocolSwitched` if the receiver answers with a 101, which is no response to the request.
 * Without a listener of `upgrade`, Node closes the connection and reports no reason. Without the header `Upgrade`, Node
 * reports a 101 as a response, and keeps the connection.
 */
function failOnSwitch(agent: RequestAgent): void {
  const add = agent.addRequest.bind(agent);
  agent.addRequest = (request, options) => {
    const failOn101 = ({ statusCode }: http.IncomingMessage) => {
      if (statusCode === 101) {
        request.destroy();
        const error = new Error('the receiver switched protocols');
        request.emit('error', Object.assign(error, { code: protocolSwitched }));
      }
    };
    request.once('upgrade', failOn101);
    request.once('response', failOn101);
    add(request, options);
  };
}

/** Starts TLS with the receiver on a tunnel, with the certificate checks and the sessions of the agent. */
function tlsOver(
  tunnel: Duplex,
  options: http.ClientRequestArgs,
  create: http.Agent['createConnection'],
): Duplex {
  const overTunnel = { ...options, socket: tunnel };
  const socket = create(overTunnel);
  if (socket === null || socket === undefined) {
    throw new TypeError('the agent has created no connection');
  }
  return socket;
}

function trackedConnection(maxResponseBytes: number): TrackedConnection {
  let received = 0;
  let onClosed: (() => void) | null = null;
  const connection: TrackedConnection = {
    made: false,
    broken: false,
    reused: false,
    idle: false,
    closed: false,
    mayRepeat: () => connection.reused && received === 0 && !connection.closed,
    begin: (whenClosed) => {
      received = 0;
      onClosed = whenClosed;
      return () => {
        onClosed = onClosed === whenClosed ? null : onClosed;
      };
    },
    attach: (socket) => {
      onChunk(socket, (bytes) => {
        received += bytes;
        if (connection.idle) {
          // Bytes after the response, such as a body after a 204, must not be read as the response to the next request.
          socket.destroy();
        } else if (onClosed !== null && received > maxResponseBytes) {
          // Node's parser accepts endless 1xx responses, trailers and chunk extensions.
          socket.destroy(Object.assign(new Error('the response is too long'), { code: responseTooLong }));
        }
      });
      socket.once('connect', () => {
        connection.made = true;
      });
      socket.once('error', () => {
        connection.broken = true;
      });
      socket.once('close', () => onClosed?.());
    },
  };
  return connection;
}

/**
 * Calls `onBytes` for each chunk that a socket receives. A listener of `data` would be wrong: if a connection has such
 * a listener, node-fetch reports a complete chunked body as truncated.
 */
function onChunk(socket: Duplex, onBytes: (bytes: number) => void): void {
  const push = socket.push.bind(socket);
  socket.push = (chunk: Buffer | null, encoding) => {
    if (chunk !== null) {
      onBytes(chunk.length);
    }
    return push(chunk, encoding);
  };
}
