import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { MIMEType } from 'node:util';

import bodyParser from 'koa-bodyparser';

import { maximumBodyBytes, maximumDataDepth } from '../../shared/domain/events/event.js';
import { readJsonObject } from '../../shared/domain/events/jsonText.js';
import { apiError, isApiError, type ApiError } from '../http/apiError.js';
import type { ApiContext, ApiMiddleware, JsonBody } from '../http/context.js';
import { writeError } from '../http/response.js';

const mediaType = 'application/json';

/** How long the API reads the remaining bytes of a rejected body before it sends the response. */
const discardMs = 1000;

/** The depth limit of a body: the depth limit of `data`, and one level for the object that contains `data`. */
const maximumBodyDepth = maximumDataDepth + 1;

const parserOptions = (maximumBytes: number) => ({
  // The JSON parser of koa-bodyparser replaces invalid UTF-8, removes a byte-order mark and loses digits. The text
  // parser of koa-bodyparser returns the original bytes if no encoding is set (see raw-body: "by default, a Buffer").
  enableTypes: ['text'],
  extendTypes: { text: [mediaType] },
  encoding: '',
  textLimit: String(maximumBytes),
});

/** Reads a JSON object of limited size, and the position of each of its members. */
export function createJsonBody(maximumBytes = maximumBodyBytes): ApiMiddleware {
  const parse = bodyParser(parserOptions(maximumBytes));
  const tooLarge = apiError(
    'payload_too_large',
    `The body of the request is too large. Send at most ${String(maximumBytes)} bytes.`,
  );

  const read = async (context: ApiContext): Promise<JsonBody | ApiError> => {
    if (Number(context.req.headers['content-length'] ?? 0) > maximumBytes) {
      return tooLarge;
    }
    const error = headerError(context);
    if (error !== null) {
      return error;
    }
    try {
      await parse(context, () => Promise.resolve());
    } catch (error) {
      return isTooLarge(error) ? tooLarge : cutOff;
    }
    const bytes: unknown = context.request.body;
    return readBytes(Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0));
  };

  return async (context, next) => {
    const body = await read(context);
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

function headerError(context: ApiContext): ApiError | null {
  const { headers } = context.req;
  if (headers['content-encoding'] !== undefined) {
    return apiError(
      'unsupported_media_type',
      'Send the body uncompressed, without the header Content-Encoding.',
    );
  }
  return isJson(headers['content-type'] ?? '')
    ? null
    : apiError(
        'unsupported_media_type',
        `Send the body as JSON in UTF-8, with the header Content-Type: ${mediaType}.`,
      );
}

function isJson(contentType: string): boolean {
  if (contentType === mediaType) {
    return true;
  }
  try {
    const { essence, params } = new MIMEType(contentType);
    return essence === mediaType && (params.get('charset') ?? 'utf-8').toLowerCase() === 'utf-8';
  } catch {
    return false;
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
async function discardRest(request: IncomingMessage): Promise<void> {
  if (request.complete) {
    return;
  }
  request.resume();
  await finished(request, { writable: false, signal: AbortSignal.timeout(discardMs) }).catch(() => undefined);
}

function readBytes(bytes: Buffer): JsonBody | ApiError {
  const reading = readJsonObject(bytes, maximumBodyDepth);
  if (!reading.valid) {
    return reading.reason === 'not_json'
      ? apiError('json_invalid', `The body is not valid JSON: ${reading.message}. Send valid JSON.`)
      : apiError('parameter_invalid', 'The body must be a JSON object.');
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

const cutOff = apiError(
  'json_invalid',
  'The connection ended before the body was complete. Send the whole body again.',
);
