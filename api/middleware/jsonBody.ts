import type { IncomingMessage } from 'node:http';

import { maximumBodyBytes, maximumDataDepth } from '../../shared/domain/events/event.js';
import { readJsonObject } from '../../shared/domain/events/jsonText.js';
import { apiError, isApiError, type ApiError } from '../http/apiError.js';
import type { ApiMiddleware, JsonBody } from '../http/context.js';
import { writeError } from '../http/response.js';
import { createReadBodyBytes, discardRest } from './bodyBytes.js';

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
