import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

import { errorEnvelope, helpLink, isApiError, type ApiError } from './apiError.js';
import type { ApiContext } from './context.js';
import { errorCodes } from './errorCodes.js';

export interface HttpResponse {
  /** The body as text, as UTF-8 bytes, or as a stream. */
  readonly content: string | Buffer | Readable;
  /** The compressed content, by the content codings that a client may accept. */
  readonly encodings?: Encodings;
  /** The status of the response. The default status is the success status of the route. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The values of `Set-Cookie`. Each value of `Set-Cookie` gets its own header. */
  readonly cookies?: readonly string[];
  /** The content type of the response. The default content type is JSON. */
  readonly contentType?: string;
  /** The content that is stored for an idempotency key instead of `content`, if `content` is large. */
  readonly storedContent?: string;
  /** Whether a part of the request failed with an error that is worth retrying. Such a response is not stored. */
  readonly isPartial?: true;
}

/** A response that was stored for an idempotency key. */
export type StoredResponse = Omit<HttpResponse, 'content'> & { readonly content: string };

export type HandlerResult = HttpResponse | ApiError;

const json = 'application/json';
const notModified = 304;

export function jsonResponse(value: unknown): HttpResponse {
  return { content: JSON.stringify(value), headers: {} };
}

const maximumAgeSeconds = 300;

/** A response that caches may store and revalidate by its ETag. The response is compressed once for all requests. */
export async function cacheableResponse(
  content: string | Buffer,
  contentType: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpResponse> {
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

/** A handler whose response is created at the first request, and retained. */
export function retained(create: () => Promise<HttpResponse>): () => Promise<HttpResponse> {
  let response: Promise<HttpResponse> | null = null;
  return () => {
    response ??= create();
    return response;
  };
}

/** Writes the result of a handler as the HTTP response. */
export function writeResponse(context: ApiContext, reply: HandlerResult, successStatus: number): void {
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

/**
 * Selects an encoding of a response that the client accepts. Each encoding has its own ETag, because the encodings
 * differ in their bytes.
 */
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

/** Writes an error as the HTTP response. No other function maps an error to a response. */
export function writeError(context: ApiContext, apiError: ApiError): void {
  context.status = errorCodes[apiError.errorCode].status;
  context.set('Content-Type', json);
  context.set('Link', helpLink(apiError));
  context.set(apiError.headers);
  context.body = errorEnvelope(apiError, context.state.requestId);
}

/** A content coding (RFC 9110 section 8.4.1). */
export type Coding = 'br' | 'gzip';

/** Compressed forms of one content. */
export type Encodings = Readonly<Partial<Record<Coding, Buffer>>>;

/** The content codings in the order of preference. */
const codings: readonly Coding[] = ['br', 'gzip'];

/** The size from which a content is compressed, in bytes. A smaller content fits into one packet. */
export const leastCompressedBytes = 1024;

const inBrotli = promisify(brotliCompress);
const inGzip = promisify(gzip);
/** The quality of Brotli compression. Higher qualities take up to a second for a document of 300 KB. */
const brotliParameters = { [constants.BROTLI_PARAM_QUALITY]: 6 };

/** One content in all content codings, for many requests. */
async function encodingsOf(content: string | Buffer): Promise<Encodings> {
  if (Buffer.byteLength(content) < leastCompressedBytes) {
    return {};
  }
  const [br, gzipped] = await Promise.all([inBrotli(content, { params: brotliParameters }), inGzip(content)]);
  return { br, gzip: gzipped };
}

/** The best content coding that the client accepts, or null for the uncompressed content. */
function acceptedCoding(context: ApiContext, encodings: Encodings): Coding | null {
  return (
    codings.find(
      (coding) => encodings[coding] !== undefined && context.acceptsEncodings(coding) === coding,
    ) ?? null
  );
}
