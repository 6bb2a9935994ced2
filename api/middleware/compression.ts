import { constants } from 'node:zlib';

import compress from 'koa-compress';

import type { ApiContext, ApiMiddleware } from '../http/context.js';
import { leastCompressedBytes } from '../http/response.js';
import type { Route } from '../http/route.js';
import { modeHeader } from './authentication.js';

/**
 * Whether the responses of a route are compressed on demand.
 *
 * The length of a compressed response depends on repetitions. If a response contains a secret and text of an attacker,
 * the attacker can guess the secret from the lengths of many responses (BREACH). The following responses are therefore
 * never compressed:
 * - responses to methods other than GET, which include every new secret, key and link
 * - responses of routes with a secret
 * - the stream of events, because each event must be sent immediately
 */
export function isCompressed({ method, mediaType, hasSecret, isCacheable, isUndescribed }: Route): boolean {
  const isPrecompressed = isCacheable === true || isUndescribed === true;
  return method === 'GET' && mediaType !== 'text/event-stream' && hasSecret !== true && !isPrecompressed;
}

/**
 * Compresses responses for clients that accept gzip. A foreign page can cause requests with the session cookie, and their responses are
 * not compressed.
 */
export function createCompression(): ApiMiddleware {
  const compressAnswer = compress({
    threshold: leastCompressedBytes,
    // Gzip runs at its fastest level, because the API needs the CPU time for events.
    gzip: { level: constants.Z_BEST_SPEED },
    br: false,
    deflate: false,
    zstd: false,
  });
  return async (context, next) => {
    await compressAnswer(context, async () => {
      await next();
      context.compress = !mayBeForeign(context) && compressibleTypes.has(context.type);
    });
  };
}

const compressibleTypes: ReadonlySet<string> = new Set(['application/json', 'text/plain']);

/**
 * Whether a page of another origin may have caused the request. Such a page cannot set the header for the mode.
 * Its browser would first send a CORS preflight, which the API does not allow.
 */
function mayBeForeign(context: ApiContext): boolean {
  const isOfSession = (context.state.caller?.session ?? null) !== null;
  return isOfSession && context.get(modeHeader) === '';
}
