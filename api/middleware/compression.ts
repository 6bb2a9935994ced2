import compress from 'koa-compress';
import { constants } from 'node:zlib';

import type { ApiContext, ApiMiddleware } from '../http/context.js';
import { leastCompressedBytes } from '../http/encodings.js';
import type { Route } from '../http/route.js';

/**
 * Whether answers of a route are compressed when they are made.
 *
 * The length of a compressed answer depends on whether parts of it repeat each other. If an answer contains a secret next to text
 * that an attacker can choose, the attacker can guess the secret from the lengths of many answers (BREACH). So these are never
 * compressed: answers to anything but GET, among them all with a new secret, key or link; routes whose answers contain a secret;
 * and the stream of events, whose events have to be sent at once.
 */
export function isCompressed({ method, mediaType, hasSecret, isCacheable, isUndescribed }: Route): boolean {
  const isPrecompressed = isCacheable === true || isUndescribed === true;
  return method === 'GET' && mediaType !== 'text/event-stream' && hasSecret !== true && !isPrecompressed;
}

/**
 * Compresses answers for clients that accept gzip. Answers to a session are left as they are: a browser sends the cookie with
 * requests that the page of an attacker may cause.
 */
export function createCompression(): ApiMiddleware {
  const compressAnswer = compress({
    threshold: leastCompressedBytes,
    // The fastest level: the processors are there for events.
    gzip: { level: constants.Z_BEST_SPEED },
    br: false,
    deflate: false,
    zstd: false,
  });
  return async (context, next) => {
    await compressAnswer(context, async () => {
      await next();
      context.compress = !isOfSession(context) && compressibleTypes.has(context.type);
    });
  };
}

const compressibleTypes: ReadonlySet<string> = new Set(['application/json', 'text/plain']);

function isOfSession({ state }: ApiContext): boolean {
  return (state.caller?.session ?? null) !== null;
}
