import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { MIMEType } from 'node:util';

import bodyParser from 'koa-bodyparser';

import { maximumBodyBytes, maximumDataDepth } from '../../shared/domain/events/event.js';
import { readJsonObject } from '../../shared/domain/events/jsonText.js';
import { writeError } from '../http/answer.js';
import type { ApiContext, ApiMiddleware, JsonBody } from '../http/context.js';
import { isApiError, apiError, type ApiError } from '../http/apiError.js';

const mediaType = 'application/json';

/** How long the rest of a refused body is taken in before the answer. */
const discardMs = 1000;

/** A body is an object around `data`. */
const maximumBodyDepth = maximumDataDepth + 1;

const parserOptions = (maximumBytes: number) => ({
  // The JSON parser of koa-bodyparser replaces bad UTF-8, drops a byte-order mark and loses digits. Its text parser
  // without an encoding hands over the bytes as they came (see raw-body: "by default, a Buffer").
  enableTypes: ['text'],
  extendTypes: { text: [mediaType] },
  encoding: '',
  textLimit: String(maximumBytes),
});

/** Reads a JSON object of at most so many bytes from the request, and where each of its members stands. */
export function createJsonBody(maximumBytes = maximumBodyBytes): ApiMiddleware {
  const parse = bodyParser(parserOptions(maximumBytes));
  const tooLarge = apiError('payload_too_large', `Send at most ${String(maximumBytes)} bytes of body.`);

  const read = async (context: ApiContext): Promise<JsonBody | ApiError> => {
    if (Number(context.req.headers['content-length'] ?? 0) > maximumBytes) {
      return tooLarge;
    }
    const refused = refusedHeaders(context);
    if (refused !== null) {
      return refused;
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
 * The same for a route that can do without a body: none is read where the request says of none, neither by a length nor by a type.
 * One that is announced and empty is an error all the same.
 */
export function orNoBody(jsonBody: ApiMiddleware): ApiMiddleware {
  return async (context, next) => {
    await (hasBody(context.req) ? jsonBody(context, next) : next());
  };
}

/** RFC 9112 section 6: a request has a body where it has one of the first two headers. */
function hasBody({ headers }: IncomingMessage): boolean {
  return (
    (headers['content-length'] ?? '0') !== '0' ||
    headers['transfer-encoding'] !== undefined ||
    headers['content-type'] !== undefined
  );
}

function refusedHeaders(context: ApiContext): ApiError | null {
  const { headers } = context.req;
  if (headers['content-encoding'] !== undefined) {
    return apiError('unsupported_media_type', 'Send the body without a Content-Encoding.');
  }
  return isJson(headers['content-type'] ?? '')
    ? null
    : apiError('unsupported_media_type', `Send the body as ${mediaType} in UTF-8.`);
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
 * Takes what a client still sends, within a time: many read no answer before they have sent all, and a connection that is
 * closed with bytes unread takes the answer back. What comes later is discarded while the connection lasts.
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
      ? apiError(
          'json_invalid',
          `Send a body that is valid JSON. This one cannot be read: ${reading.message}.`,
        )
      : apiError('parameter_invalid', 'The body must be a JSON object.');
  }
  const { repeatedMember } = reading.text;
  // Parsers disagree on which of the two counts.
  return repeatedMember === null
    ? { bytes, text: reading.text }
    : apiError(
        'json_invalid',
        `Send each member once: the body has ${JSON.stringify(repeatedMember)} twice.`,
      );
}

const cutOff = apiError('json_invalid', 'Send the whole body: the connection was lost before its end.');
