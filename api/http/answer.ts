import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';

import type { ApiContext } from './context.js';
import { acceptedCoding, encodingsOf, type Encodings } from './encodings.js';
import { errorCodes } from './errorCodes.js';
import { errorEnvelope, helpLink, isApiError, type ApiError } from './apiError.js';

/** What a handler has come to. */
export interface Answer {
  /** The text of the answer, as text, as its UTF-8 bytes, or as they come. */
  readonly content: string | Buffer | Readable;
  /** The same content compressed, if it is sent in the coding that a client accepts. */
  readonly encodings?: Encodings;
  /** The route's own status for a success where it is left out. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`, one header each. */
  readonly cookies?: readonly string[];
  /** JSON where it is left out. */
  readonly contentType?: string;
}

export type Reply = Answer | ApiError;

const json = 'application/json';
const notModified = 304;

export function jsonAnswer(value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { content: JSON.stringify(value), headers };
}

const maximumAgeSeconds = 300;

/** What caches may keep for a while, and ask by its ETag whether it is still the same. It is compressed once, for all requests. */
export async function cacheableAnswer(
  content: string,
  contentType: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const hash = createHash('sha256').update(content).digest('base64url');
  return {
    content,
    encodings: await encodingsOf(content),
    contentType,
    headers: {
      ...headers,
      ETag: `"${hash}"`,
      'Cache-Control': `public, max-age=${maximumAgeSeconds}`,
    },
  };
}

/** Writes a handler's outcome. */
export function writeReply(context: ApiContext, reply: Reply, successStatus: number): void {
  if (isApiError(reply)) {
    writeError(context, reply);
    return;
  }
  context.status = reply.status ?? successStatus;
  context.set('Content-Type', reply.contentType ?? json);
  context.set(reply.headers ?? {});
  if (reply.cookies !== undefined) {
    context.set('Set-Cookie', [...reply.cookies]);
  }
  context.body = reply.content;
  encode(context, reply.encodings);
  if (context.response.etag !== '' && context.fresh) {
    context.status = notModified;
  }
}

/** Sends one of the encodings if the client accepts it. It gets its own ETag, because its bytes differ. */
function encode(context: ApiContext, encodings: Encodings | undefined): void {
  if (encodings === undefined) {
    return;
  }
  context.vary('Accept-Encoding');
  const coding = acceptedCoding(context, encodings);
  if (coding !== null) {
    context.set('Content-Encoding', coding);
    context.response.etag = context.response.etag.replace(/"$/, `-${coding}"`);
    context.body = encodings[coding];
  }
}

/** The one place where a refusal becomes an HTTP response. */
export function writeError(context: ApiContext, apiError: ApiError): void {
  context.status = errorCodes[apiError.refused].status;
  context.set('Content-Type', json);
  context.set('Link', helpLink(apiError));
  context.set(apiError.headers);
  context.body = errorEnvelope(apiError, context.state.requestId);
}
