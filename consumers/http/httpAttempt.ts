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
import { startDeadline } from './deadline.js';
import { type WebhookResponse, exchange, noResponse } from './exchange.js';

export interface AttemptSettings {
  /** For the whole exchange: name resolution, connection, request, and the response with its body. */
  readonly timeoutMs: number;
  readonly allowHttp: boolean;
  readonly allowPrivateAddresses: boolean;
  readonly userAgent: string;
  /**
   * Connections in use at once, 1,024 by default. To be at least the attempts that the caller has in flight: what waits for
   * a connection waits on its own time, as if its receiver were slow.
   */
  readonly maxConnections?: number;
  /** Of those, to one host and port, which many webhooks may share. As many by default. */
  readonly maxConnectionsPerHost?: number;
}

export interface AttemptRequest {
  /** An absolute URL. */
  readonly url: string;
  readonly eventId: string;
  /** The JSON document, sent as it is. */
  readonly body: Buffer;
  /** Every secret that is valid now, as bytes. */
  readonly secrets: readonly Buffer[];
}

export interface AttemptOutcome extends WebhookResponse {
  readonly outcome: 'succeeded' | 'failed';
  readonly startedAt: Date;
  readonly finishedAt: Date;
  /** Whole milliseconds. */
  readonly durationMs: number;
}

export interface HttpAttempt {
  /** One exchange with a receiver. Never rejects: every way to fail is an outcome. */
  attempt: (request: AttemptRequest) => Promise<AttemptOutcome>;
  /** Connections that are open now, idle ones included. */
  openConnections: () => number;
  /** Closes all connections. Attempts in flight end as `connection_reset`, which says nothing about their receivers. */
  close: () => void;
}

interface AttemptDependencies {
  readonly now?: Clock;
  readonly resolver?: NameResolver;
}

const maxIdleConnections = 256;
/** A burst to one receiver leaves no more behind: room for the others, and little that the receiver has to keep open. */
const maxIdleConnectionsPerHost = 64;
/** Below the 5 s after which Node and Apache close an idle connection. */
const maxIdleMs = 4_000;
/** Four times what is read of a body: room for heads, framing and what is on its way when it is cut off. */
const maxAnswerBytes = 256 * 1024;

/** Sends events to receivers, over connections that are kept per host. */
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
      maxAnswerBytes,
    },
  );

  const answer = async (request: AttemptRequest, startedAt: Date): Promise<WebhookResponse> => {
    const target = permittedTarget(request.url, settings);
    if (typeof target === 'string') {
      return noResponse({ code: 'address_not_allowed', message: target });
    }
    const deadline = startDeadline(settings.timeoutMs);
    const headers = requestHeaders(request, settings.userAgent, startedAt);
    try {
      const call = { url: target.href, protocol: target.protocol, headers, body: request.body, deadline };
      return await exchange(call, connections);
    } finally {
      deadline.clear();
    }
  };

  return {
    attempt: async (request) => {
      const startedAt = now();
      const start = performance.now();
      const answered = await answer(request, startedAt);
      const durationMs = Math.round(performance.now() - start);
      const finishedAt = new Date(startedAt.getTime() + durationMs);
      const outcome = answered.error === null ? 'succeeded' : 'failed';
      return { outcome, ...answered, startedAt, finishedAt, durationMs };
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
  return { 'content-type': 'application/json', 'user-agent': userAgent, ...signature };
}

/** The URL where it may be called, else why it may not: a sentence for the webhook's owner. */
function permittedTarget(text: string, settings: AttemptSettings): URL | string {
  const url = parseUrl(text);
  if (url === null) {
    return 'The URL cannot be read';
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
    return `Only ${allowHttp ? 'https: and http:' : 'https:'} URLs are called`;
  }
  if (username !== '' || password !== '') {
    return 'A URL with a user name or password is not called';
  }
  return hasHostName(url) ? null : 'The host of the URL has characters that no host name has';
}

function addressError(url: URL, allowPrivateAddresses: boolean): string | null {
  return allowPrivateAddresses ? null : literalAddressError(url);
}
