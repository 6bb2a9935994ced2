import { takesIdempotencyKey, type Route } from '../http/route.js';
import { referenceTo, type Header, type Response } from './openApiTypes.js';

const text = { type: 'string' } as const;

/** All headers of responses, as the OpenAPI document describes them. */
export const headers = {
  RequestId: {
    description: 'The id of the request. Include this id in support requests.',
    required: true,
    schema: { ...text, pattern: '^req_[0-9A-HJKMNP-TV-Z]{26}$' },
  },
  RateLimitPolicy: {
    description: 'The rate limit of the account in this mode: `q` requests in `w` seconds.',
    required: true,
    schema: { ...text, pattern: '^"[a-z]+";q=\\d+;w=\\d+$' },
    example: '"pro";q=100;w=1',
  },
  RateLimit: {
    description: 'The remaining requests of the rate limit: `r` requests for the next `t` seconds.',
    required: true,
    schema: { ...text, pattern: '^"[a-z]+";r=\\d+;t=\\d+$' },
    example: '"pro";r=57;t=1',
  },
  RetryAfter: {
    description: 'The number of seconds to wait before a retry of the request.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: '1',
  },
  Location: {
    description: 'The path of the created resource.',
    required: true,
    schema: { ...text, pattern: '^/v1/' },
  },
  'Set-Cookie': {
    description: 'The header that sets or removes the session cookie.',
    required: true,
    schema: { ...text, pattern: '^(__Host-)?postrider_session=' },
  },
  IdempotentReplayed: {
    description:
      'The header is present if the response is that of an earlier request with the same ' +
      '`Idempotency-Key`.',
    required: false,
    schema: { ...text, enum: ['true'] },
  },
  WwwAuthenticate: {
    description: 'The required authentication (RFC 6750).',
    required: true,
    schema: { ...text, pattern: '^Bearer ' },
    example: 'Bearer realm="postrider"',
  },
  Link: {
    description: 'The path of the page about the error code (RFC 8288).',
    required: true,
    schema: { ...text, pattern: '^</docs/errors/[a-z_]+>; rel="help"$' },
    example: '</docs/errors/resource_missing>; rel="help"',
  },
  ETag: {
    description: 'The entity tag. Send this value as `If-None-Match` to revalidate the response.',
    required: true,
    schema: { ...text, pattern: '^"' },
  },
} as const satisfies Readonly<Record<string, Header>>;

type HeaderReferences = Response['headers'];

const reference = (name: keyof typeof headers) => referenceTo('headers', name);

const common: HeaderReferences = { 'Request-Id': reference('RequestId') };

const limits: HeaderReferences = {
  'RateLimit-Policy': reference('RateLimitPolicy'),
  RateLimit: reference('RateLimit'),
};

/** The rate-limit headers of a response that the API may send before it checks the rate limit. */
const limitsIfCounted: HeaderReferences = {
  'RateLimit-Policy': { ...headers.RateLimitPolicy, required: false },
  RateLimit: { ...headers.RateLimit, required: false },
};

/** @param own the headers that only a successful response of this operation has */
export function successHeaders(route: Route, own = route.successHeaders ?? []): HeaderReferences {
  return {
    ...common,
    ...(route.access === 'api-key' && limits),
    ...(takesIdempotencyKey(route) && { 'Idempotent-Replayed': reference('IdempotentReplayed') }),
    ...(route.isCacheable === true && { ETag: reference('ETag') }),
    ...Object.fromEntries(own.map((name) => [name, reference(name)])),
  };
}

export function errorHeaders(access: Route['access'], status: number): HeaderReferences {
  return {
    ...common,
    Link: reference('Link'),
    ...(access === 'api-key' && limitsOf(status)),
    ...ofStatus[status],
  };
}

const ofStatus: Readonly<Record<number, HeaderReferences>> = {
  401: { 'WWW-Authenticate': reference('WwwAuthenticate') },
  // The API sends `WWW-Authenticate` with 403 only if the key lacks a scope.
  403: { 'WWW-Authenticate': { ...headers.WwwAuthenticate, required: false } },
  429: { 'Retry-After': reference('RetryAfter') },
  503: { 'Retry-After': reference('RetryAfter') },
};

const unauthenticated = 401;
/**
 * The status of a request that exceeds the rate limit. A network that sends unknown keys also gets 429, before the rate
 * limit is checked.
 */
const tooManyRequests = 429;
const firstServerError = 500;

function limitsOf(status: number): HeaderReferences {
  if (status === unauthenticated) {
    return {};
  }
  return status < firstServerError && status !== tooManyRequests ? limits : limitsIfCounted;
}
