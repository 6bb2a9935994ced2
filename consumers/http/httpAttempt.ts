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
import { createWebhookConnections, type ClientIdentity, type OpenTunnel } from './connections.js';
import type { AttemptFailure } from './attemptFailure.js';
import { beforeDeadline, withDeadline, type Deadline } from './deadline.js';
import { exchange, maxReadBytes, noResponse, type WebhookResponse } from './exchange.js';

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

/**
 * Obtains credentials from another server than the receiver, or returns why there are none.
 * @param timeoutMs the time limit of the attempt, in milliseconds
 * @throws UnavailableError if the egress proxy is at fault
 */
export type ObtainCredentials = (timeoutMs: number) => Promise<RequestCredentials | AttemptFailure>;

export interface AttemptRequest extends SignedRequest {
  /** The absolute URL of the receiver. */
  readonly url: string;
  /** The time limit of this attempt in milliseconds, instead of the limit of the settings. */
  readonly timeoutMs?: number | undefined;
  /** Missing if the webhook has none. The time limit includes the time in which they are obtained. */
  readonly credentials?: RequestCredentials | ObtainCredentials | undefined;
  /**
   * Called when credentials were obtained, directly before the request. A rejection ends the attempt without a request
   * and without an outcome, because what the request was made from may have changed during the wait.
   */
  readonly confirm?: (() => Promise<void>) | undefined;
  /** The certificate with which the request authenticates in TLS. Missing if the webhook has none. */
  readonly identity?: ClientIdentity | undefined;
}

/** A POST that is no attempt, such as the request of a token. */
export interface Post {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
  /** The time limit of the request and the complete response, in milliseconds. */
  readonly timeoutMs: number;
}

export interface AttemptOutcome extends WebhookResponse {
  /** The headers of the request, with masked signatures and credentials. Null if no request was sent. */
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
   * @throws UnavailableError if the egress proxy is at fault, or `confirm` takes too long, so that the attempt has no
   * outcome
   */
  attempt: (request: AttemptRequest) => Promise<AttemptOutcome>;
  /**
   * Sends a request to another server than a receiver, under the same rules for URLs and addresses. `responseBody` has
   * up to 64 KiB.
   * @throws UnavailableError if the egress proxy is at fault
   */
  post: (request: Post) => Promise<WebhookResponse>;
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
/** The agents of a webhook with a certificate take about 30 KiB. */
const maxIdentities = 500;

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
  const openPool = (inUse: number, inUsePerHost: number) =>
    createWebhookConnections(
      createGuardedLookup(permittedAddresses),
      {
        maxInUse: inUse,
        maxInUsePerHost: inUsePerHost,
        maxIdle: maxIdleConnections,
        maxIdlePerHost: maxIdleConnectionsPerHost,
        maxIdleMs,
        maxResponseBytes,
        maxIdentities,
      },
      egressProxy === null ? null : createOpenTunnel(egressProxy, permittedAddresses, settings),
    );
  const connections = openPool(maxInUse, settings.maxConnectionsPerHost ?? maxInUse);
  // Attempts that wait for a token server must not take the connections of other attempts.
  const otherConnections = openPool(2 * maxInUse, 2 * maxInUse);

  /** @param begin when the request began, by `performance.now()` */
  const failIfLost = async (response: WebhookResponse, begin: number) => {
    if (egressProxy !== null && mayBeLost(response) && (await egressProxy.mayHaveLost(begin))) {
      throw new UnavailableError('the egress proxy may have lost the request');
    }
  };

  /** Sends a request to a URL that may be called. `headers` are the headers of the request as they are recorded. */
  const send = async (target: URL, request: AttemptRequest, startedAt: Date): Promise<SentRequest> => {
    const { href: url, protocol, host } = target;
    const { body, identity = null, timeoutMs = settings.timeoutMs } = request;
    const begin = performance.now();
    const sent = await withDeadline(timeoutMs, async (deadline) => {
      const credentials =
        typeof request.credentials === 'function'
          ? await obtained(request.credentials, deadline)
          : request.credentials;
      if (credentials !== undefined && 'code' in credentials) {
        return { response: noResponse(credentials), headers: null };
      }
      if (typeof request.credentials === 'function') {
        await confirmed(request, deadline);
      }
      const { scrub = null } = credentials ?? {};
      const headers = requestHeaders(request, credentials, { userAgent: settings.userAgent, at: startedAt });
      const call = { url, protocol, headers, body, deadline, scrub, identity };
      const response = await exchange(call, connections);
      return { response, headers: recordedHeaders(headers, host, request, credentials) };
    });
    await failIfLost(sent.response, begin);
    return sent;
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
    post: async ({ url, headers, body, timeoutMs }) => {
      const begin = performance.now();
      const target = permittedTarget(url, settings);
      if (typeof target === 'string') {
        return noResponse({ code: 'address_not_allowed', message: target });
      }
      const { href, protocol } = target;
      const response = await withDeadline(timeoutMs, (deadline) =>
        exchange(
          {
            ...{ url: href, protocol, headers: { 'user-agent': settings.userAgent, ...headers }, body },
            ...{ deadline, scrub: null, keptBodyBytes: maxReadBytes },
          },
          otherConnections,
        ),
      );
      await failIfLost(response, begin);
      return response;
    },
    openConnections: () => connections.count() + otherConnections.count(),
    close: () => {
      connections.close();
      otherConnections.close();
      resolver.close();
    },
  };
}

interface SentRequest {
  readonly response: WebhookResponse;
  readonly headers: Readonly<Record<string, string>> | null;
}

/** The credentials of a request, within its time limit. */
async function obtained(
  obtain: ObtainCredentials,
  deadline: Deadline,
): Promise<RequestCredentials | AttemptFailure> {
  const result = await beforeDeadline(deadline, obtain(deadline.milliseconds));
  return result === 'late'
    ? { code: 'auth_failed', message: 'The token server sent no token within the time limit' }
    : result;
}

/** @throws UnavailableError at the end of the time limit, because the receiver is not at fault */
async function confirmed({ confirm }: AttemptRequest, deadline: Deadline): Promise<void> {
  await confirm?.();
  if (deadline.expired()) {
    throw new UnavailableError('an attempt was not confirmed within its time limit');
  }
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

const codesOfLosses: ReadonlySet<string> = new Set([
  'timeout',
  'connection_failed',
  'connection_reset',
  'auth_failed',
]);

/** Whether the tunnel, the request or its response may have been lost on its way, or a request of a token. */
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
