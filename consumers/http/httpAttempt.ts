import type { Clock } from '../../shared/core/clock.js';
import { hasHostName, literalAddressError } from '../../shared/domain/webhooks/address.js';
import { signatureHeaders } from '../../shared/domain/webhooks/signature.js';
import {
  createDnsResolver,
  createGuardedLookup,
  createSystemResolver,
  type NameResolver,
} from './addressGuard.js';
import { createWebhookConnections } from './connections.js';
import { withDeadline } from './deadline.js';
import { exchange, noResponse, type WebhookResponse } from './exchange.js';

export interface AttemptSettings {
  /**
   * The time limit of a whole attempt, in milliseconds: name resolution, connection, request and the complete response.
   */
  readonly timeoutMs: number;
  readonly allowHttp: boolean;
  readonly allowPrivateAddresses: boolean;
  readonly userAgent: string;
  /**
   * The most connections in use at once; 1,024 by default. The limit must be at least the number of attempts in flight,
   * because the time limit of an attempt includes its wait for a connection.
   */
  readonly maxConnections?: number;
  /** The most connections to one host and port, which many webhooks may share. The default is `maxConnections`. */
  readonly maxConnectionsPerHost?: number;
}

export interface AttemptRequest {
  /** The absolute URL of the receiver. */
  readonly url: string;
  readonly eventId: string;
  /** The JSON document that is the request body, which is sent unchanged. */
  readonly body: Buffer;
  /** All signing secrets that are currently valid, as bytes. */
  readonly secrets: readonly Buffer[];
}

export interface AttemptOutcome extends WebhookResponse {
  /** The headers of the request, with masked signatures. Null if the URL may not be called. */
  readonly requestHeaders: Readonly<Record<string, string>> | null;
  readonly outcome: 'succeeded' | 'failed';
  readonly startedAt: Date;
  readonly finishedAt: Date;
  /** The duration of the attempt in whole milliseconds. */
  readonly durationMs: number;
}

export interface HttpAttempt {
  /** Makes one attempt to send an event to a receiver. The promise never rejects: every failure is an outcome. */
  attempt: (request: AttemptRequest) => Promise<AttemptOutcome>;
  /** The number of open connections, including idle ones. */
  openConnections: () => number;
  /** Closes all connections. Attempts in flight end as `connection_reset`, although their receivers have not failed. */
  close: () => void;
}

interface AttemptDependencies {
  readonly now?: Clock;
  readonly resolver?: NameResolver;
}

const maxIdleConnections = 256;
/**
 * The most idle connections to one receiver. The limit leaves room for other receivers, and costs the receiver little.
 */
const maxIdleConnectionsPerHost = 64;
/** The longest idle time of a connection: less than the 5 s after which Node and Apache close an idle connection. */
const maxIdleMs = 4_000;
/**
 * The most bytes of a response: four times the bytes that are read of a body. The additional bytes are for headers,
 * framing, and data in transit when a body is cut off.
 */
const maxResponseBytes = 256 * 1024;

/** A client that sends events to receivers over a pool of keep-alive connections per host. */
export function createHttpAttempt(
  settings: AttemptSettings,
  dependencies: AttemptDependencies = {},
): HttpAttempt {
  const now = dependencies.now ?? ((): Date => new Date());
  const resolver = dependencies.resolver ?? defaultResolver(settings);
  const maxInUse = settings.maxConnections ?? 1_024;
  const connections = createWebhookConnections(
    createGuardedLookup(resolver.resolve, settings.allowPrivateAddresses),
    {
      maxInUse,
      maxInUsePerHost: settings.maxConnectionsPerHost ?? maxInUse,
      maxIdle: maxIdleConnections,
      maxIdlePerHost: maxIdleConnectionsPerHost,
      maxIdleMs,
      maxResponseBytes,
    },
  );

  /** Sends a request to a URL that may be called. `headers` are the headers of the request as they are recorded. */
  const send = async (target: URL, request: AttemptRequest, startedAt: Date) => {
    const { href: url, protocol, host } = target;
    const { body } = request;
    const headers = requestHeaders(request, settings.userAgent, startedAt);
    const response = await withDeadline(settings.timeoutMs, (deadline) =>
      exchange({ url, protocol, headers, body, deadline }, connections),
    );
    return { response, headers: recordedHeaders(headers, host, request) };
  };

  return {
    attempt: async (request) => {
      const startedAt = now();
      const start = performance.now();
      const target = permittedTarget(request.url, settings);
      const { response, headers } =
        typeof target === 'string'
          ? { response: noResponse({ code: 'address_not_allowed', message: target }), headers: null }
          : await send(target, request, startedAt);
      const durationMs = Math.round(performance.now() - start);
      const finishedAt = new Date(startedAt.getTime() + durationMs);
      const outcome = response.error === null ? 'succeeded' : 'failed';
      return { outcome, ...response, requestHeaders: headers, startedAt, finishedAt, durationMs };
    },
    openConnections: () => connections.count(),
    close: () => {
      connections.close();
      resolver.close();
    },
  };
}

function defaultResolver({ allowPrivateAddresses }: AttemptSettings): NameResolver {
  return allowPrivateAddresses ? createSystemResolver() : createDnsResolver();
}

function requestHeaders(request: AttemptRequest, userAgent: string, at: Date): Record<string, string> {
  const signature = signatureHeaders({
    id: request.eventId,
    timestampSeconds: Math.floor(at.getTime() / 1000),
    body: request.body,
    secrets: request.secrets,
  });
  return { accept: '*/*', 'content-type': 'application/json', 'user-agent': userAgent, ...signature };
}

/** The headers of a request with those that Node adds, and without the values of the signatures. */
function recordedHeaders(
  headers: Readonly<Record<string, string>>,
  host: string,
  { body, secrets }: AttemptRequest,
): Readonly<Record<string, string>> {
  const signatures = secrets.map(() => 'v1,***').join(' ');
  return { host, 'content-length': String(body.length), ...headers, 'webhook-signature': signatures };
}

/**
 * The URL of the receiver, or a sentence for the owner of the webhook that says why the service may not call the URL.
 */
function permittedTarget(text: string, settings: AttemptSettings): URL | string {
  const url = parseUrl(text);
  if (url === null) {
    return 'The URL of the webhook is invalid';
  }
  return urlFormError(url, settings.allowHttp) ?? addressError(url, settings.allowPrivateAddresses) ?? url;
}

function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

function urlFormError(url: URL, allowHttp: boolean): string | null {
  const { protocol, username, password } = url;
  if (protocol !== 'https:' && !(allowHttp && protocol === 'http:')) {
    return `The service calls only ${allowHttp ? 'https and http' : 'https'} URLs`;
  }
  if (username !== '' || password !== '') {
    return 'The service calls no URL with a user name or a password';
  }
  return hasHostName(url) ? null : 'The host name of the URL contains invalid characters';
}

function addressError(url: URL, allowPrivateAddresses: boolean): string | null {
  return allowPrivateAddresses ? null : literalAddressError(url);
}
