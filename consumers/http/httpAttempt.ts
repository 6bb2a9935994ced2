import { isIP } from 'node:net';

import type { Clock } from '../../shared/core/clock.js';
import { UnavailableError } from '../../shared/core/errors.js';
import { hasHostName, literalAddressError } from '../../shared/domain/webhooks/address.js';
import {
  recordedHeaders,
  requestHeaders,
  type SignedRequest,
} from '../../shared/domain/webhooks/requestHeaders.js';
import type { RequestCredentials } from '../credentials/openCredentials.js';
import type { EgressProxy } from '../egress/egressProxy.js';
import {
  createDnsResolver,
  createGuardedLookup,
  createPermittedAddresses,
  createSystemResolver,
  type NameResolver,
  type PermittedAddresses,
} from './addressGuard.js';
import { createWebhookConnections, type OpenTunnel } from './connections.js';
import { withDeadline } from './deadline.js';
import { exchange, noResponse, type WebhookResponse } from './exchange.js';

export interface AttemptSettings {
  /**
   * The time limit of a whole attempt, in milliseconds: name resolution, connection, request and the complete response.
   */
  readonly timeoutMs: number;
  /** The longest time limit of any request, in milliseconds. The default is `timeoutMs`. */
  readonly longestTimeoutMs?: number;
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

export interface AttemptRequest extends SignedRequest {
  /** The absolute URL of the receiver. */
  readonly url: string;
  /** The time limit of this attempt in milliseconds, instead of the limit of the settings. */
  readonly timeoutMs?: number | undefined;
  /** Missing if the webhook has none. */
  readonly credentials?: RequestCredentials | undefined;
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
  /**
   * Makes one attempt to send an event to a receiver. Every failure of the receiver is an outcome.
   * @throws UnavailableError if the egress proxy is at fault, so that the attempt has no outcome
   */
  attempt: (request: AttemptRequest) => Promise<AttemptOutcome>;
  /** The number of open connections, including idle ones. */
  openConnections: () => number;
  /** Closes all connections. Attempts in flight end as `connection_reset`, although their receivers have not failed. */
  close: () => void;
}

interface AttemptDependencies {
  readonly now?: Clock;
  readonly resolver?: NameResolver;
  /** The proxy of all requests; by default the service connects to receivers directly. */
  readonly egressProxy?: Pick<EgressProxy, 'open' | 'mayHaveLost'> | null;
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
  const egressProxy = dependencies.egressProxy ?? null;
  const maxInUse = settings.maxConnections ?? 1_024;
  const permittedAddresses = createPermittedAddresses(resolver.resolve, settings.allowPrivateAddresses);
  const connections = createWebhookConnections(
    createGuardedLookup(permittedAddresses),
    {
      maxInUse,
      maxInUsePerHost: settings.maxConnectionsPerHost ?? maxInUse,
      maxIdle: maxIdleConnections,
      maxIdlePerHost: maxIdleConnectionsPerHost,
      maxIdleMs,
      maxResponseBytes,
    },
    egressProxy === null ? null : createOpenTunnel(egressProxy, permittedAddresses, settings),
  );

  /** Sends a request to a URL that may be called. `headers` are the headers of the request as they are recorded. */
  const send = async (target: URL, request: AttemptRequest, startedAt: Date, begin: number) => {
    const { href: url, protocol, host } = target;
    const { body, credentials, timeoutMs = settings.timeoutMs } = request;
    const scrub = credentials?.scrub ?? null;
    const headers = requestHeaders(request, credentials, { userAgent: settings.userAgent, at: startedAt });
    const response = await withDeadline(timeoutMs, (deadline) =>
      exchange({ url, protocol, headers, body, deadline, scrub }, connections),
    );
    if (egressProxy !== null && mayBeLost(response) && (await egressProxy.mayHaveLost(begin))) {
      throw new UnavailableError('the egress proxy may have lost the request');
    }
    return { response, headers: recordedHeaders(headers, host, request, credentials) };
  };

  return {
    attempt: async (request) => {
      const startedAt = now();
      const start = performance.now();
      const target = permittedTarget(request.url, settings);
      const { response, headers } =
        typeof target === 'string'
          ? { response: noResponse({ code: 'address_not_allowed', message: target }), headers: null }
          : await send(target, request, startedAt, start);
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

/** Opens tunnels to the permitted addresses of a host, one after the other, until one is open. */
function createOpenTunnel(
  proxy: Pick<EgressProxy, 'open'>,
  permittedAddresses: PermittedAddresses,
  { timeoutMs, longestTimeoutMs = timeoutMs }: AttemptSettings,
): OpenTunnel {
  return async ({ host, port }) => {
    const addresses = isIP(host) === 0 ? await permittedAddresses(host) : [host];
    let failure: unknown;
    for (const address of addresses) {
      try {
        return await proxy.open({ host: address, port }, longestTimeoutMs);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };
}

const codesOfLosses: ReadonlySet<string> = new Set(['timeout', 'connection_failed', 'connection_reset']);

/** Whether the tunnel, the request or its response may have been lost on its way. */
function mayBeLost({ error }: WebhookResponse): boolean {
  return error !== null && codesOfLosses.has(error.code);
}

function defaultResolver({ allowPrivateAddresses }: AttemptSettings): NameResolver {
  return allowPrivateAddresses ? createSystemResolver() : createDnsResolver();
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
