import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { MIMEType } from 'node:util';

import bodyParser from 'koa-bodyparser';

import { maximumBodyBytes, maximumDataDepth } from '../../shared/domain/events/event.js';
import { readJsonObject } from '../../shared/domain/events/jsonText.js';
import { apiError, isApiError, type ApiError } from '../http/apiError.js';
import type { ApiContext, ApiMiddleware, JsonBody } from '../http/context.js';
import { writeError } from '../http/response.js';

/** The depth limit of a body: the depth limit of `data`, and one level for the object that contains `data`. */
const maximumBodyDepth = maximumDataDepth + 1;

/** Reads a JSON object of limited size, and the position of each of its members. */
export function createJsonBody(maximumBytes = maximumBodyBytes): ApiMiddleware {
  const read = createReadBodyBytes(maximumBytes);
  return async (context, next) => {
    const bytes = await read(context);
    const body = isApiError(bytes) ? bytes : readObject(bytes);
    if (isApiError(body)) {
      await discardRest(context.req);
      writeError(context, body);
      return;
    }
    context.state.body = body;
    await next();
  };
}

/**
 * The body middleware of a route with an optional body. A request without a length and a type has no body. A body that
 * the headers announce must not be empty.
 */
export function optionalBody(jsonBody: ApiMiddleware): ApiMiddleware {
  return async (context, next) => {
    await (hasBody(context.req) ? jsonBody(context, next) : next());
  };
}

/** Whether the headers announce a body, by `Content-Length` or `Transfer-Encoding` (RFC 9112 section 6). */
function hasBody({ headers }: IncomingMessage): boolean {
  return (
    (headers['content-length'] ?? '0') !== '0' ||
    headers['transfer-encoding'] !== undefined ||
    headers['content-type'] !== undefined
  );
}

/** Reads the text of a JSON object without repeated members. */
export function readObject(bytes: Buffer): JsonBody | ApiError {
  const reading = readJsonObject(bytes, maximumBodyDepth);
  if (!reading.valid) {
    return reading.reason === 'not_an_object'
      ? apiError('parameter_invalid', 'The body must be a JSON object.')
      : apiError('json_invalid', `The body is not valid JSON: ${reading.message}. Send valid JSON.`);
  }
  const { repeatedMember } = reading.text;
  // If a JSON object repeats a member, parsers differ in which of the two values they use.
  return repeatedMember === null
    ? { bytes, text: reading.text }
    : apiError(
        'json_invalid',
        `The body contains the member ${JSON.stringify(repeatedMember)} twice. Send each member once.`,
      );
}

const json = 'application/json';

/** How long the API reads the remaining bytes of a rejected body before it sends the response. */
const discardMs = 1000;

const parserOptions = (maximumBytes: number) => ({
  // The JSON parser of koa-bodyparser replaces invalid UTF-8, removes a byte-order mark and loses digits. The text
  // parser of koa-bodyparser returns the original bytes if no encoding is set (see raw-body: "by default, a Buffer").
  enableTypes: ['text'],
  // The media type is checked before the body is read.
  extendTypes: { text: ['*/*'] },
  encoding: '',
  textLimit: String(maximumBytes),
});

/** Reads the bytes of a body of limited size, or returns the error of its size, its media type or its connection. */
export type ReadBodyBytes = (context: ApiContext) => Promise<Buffer | ApiError>;

/** @param isAccepted whether the route takes the media type of the request */
export function createReadBodyBytes(
  maximumBytes: number,
  isAccepted: (contentType: string) => boolean = isJson,
): ReadBodyBytes {
  const parse = bodyParser(parserOptions(maximumBytes));
  const tooLarge = apiError(
    'payload_too_large',
    `The body of the request is too large. Send at most ${String(maximumBytes)} bytes.`,
  );
  const headerError = ({ headers }: IncomingMessage): ApiError | null => {
    if (Number(headers['content-length'] ?? 0) > maximumBytes) {
      return tooLarge;
    }
    if (headers['content-encoding'] !== undefined) {
      return encoded;
    }
    return isAccepted(headers['content-type'] ?? '') ? null : otherMediaType;
  };
  return async (context) => {
    const error = headerError(context.req);
    if (error !== null) {
      return error;
    }
    try {
      await parse(context, () => Promise.resolve());
    } catch (error) {
      return isTooLarge(error) ? tooLarge : cutOff;
    }
    const bytes: unknown = context.request.body;
    return Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0);
  };
}

function isJson(contentType: string): boolean {
  return contentType === json || essenceOf(contentType) === json;
}

/**
 * The media type without its parameters, in lower case. The text is empty if the header is malformed, or names a
 * character set other than UTF-8.
 */
export function essenceOf(contentType: string): string {
  try {
    const { essence, params } = new MIMEType(contentType);
    return (params.get('charset') ?? 'utf-8').toLowerCase() === 'utf-8' ? essence : '';
  } catch {
    return '';
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'status' in error && error.status === 413;
}

/**
 * Reads the remaining bytes of a rejected body for a limited time. Many clients read a response only after they have
 * sent the whole body, and closing a connection with unread bytes discards the response. After the limited time,
 * arriving bytes are discarded while the connection is open.
 */
export async function discardRest(request: IncomingMessage): Promise<void> {
  if (request.complete) {
    return;
  }
  request.resume();
  await finished(request, { writable: false, signal: AbortSignal.timeout(discardMs) }).catch(() => undefined);
}

const encoded = apiError(
  'unsupported_media_type',
  'Send the body uncompressed, without the header Content-Encoding.',
);
const otherMediaType = apiError(
  'unsupported_media_type',
  `Send the body as JSON in UTF-8, with the header Content-Type: ${json}.`,
);
const cutOff = apiError(
  'json_invalid',
  'The connection ended before the body was complete. Send the whole body again.',
);
