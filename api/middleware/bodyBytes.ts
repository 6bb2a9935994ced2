import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { MIMEType } from 'node:util';

import bodyParser from 'koa-bodyparser';

import { apiError, type ApiError } from '../http/apiError.js';
import type { ApiContext } from '../http/context.js';

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
