import { Readable } from 'node:stream';

import { z } from 'zod';

import { isApiError, type ApiError } from '../http/apiError.js';
import { isErrorCode, type ErrorCode } from '../http/errorCodes.js';
import type { HandlerResult, HttpResponse, StoredResponse } from '../http/response.js';

const headers = z.record(z.string(), z.string());

const responseSchema = z.strictObject({
  content: z.string(),
  status: z.int().optional(),
  headers: headers.optional(),
  contentType: z.string().optional(),
});

/** Stored documents contain the error code in the field `refused`. The field's name is part of the storage format. */
const errorSchema = z.strictObject({
  refused: z.custom<ErrorCode>(isErrorCode),
  message: z.string(),
  param: z.string().nullable(),
  headers,
});

const resultSchema = z.union([responseSchema, errorSchema]);

/** The stored form of a result. Every response is UTF-8, so the stored text results in the same bytes. */
export function encodeResult(result: HandlerResult): Buffer {
  return Buffer.from(JSON.stringify(storedForm(result)));
}

function storedForm(result: HandlerResult): object {
  if (isApiError(result)) {
    const { errorCode, ...rest } = result;
    return { refused: errorCode, ...rest };
  }
  const { storedContent, ...response } = result;
  return { ...response, content: storedContent ?? textOf(result) };
}

function textOf({ content }: HttpResponse): string {
  if (content instanceof Readable) {
    throw new Error('a response that is a stream cannot be stored for an idempotency key');
  }
  return content.toString();
}

const replayed = { 'Idempotent-Replayed': 'true' };

/**
 * The result that the API sends for a repeated request. A stored error is rendered again, so that it contains the
 * `requestId` of the repeated request.
 */
export function decodeReplayedResult(stored: Buffer): StoredResponse | ApiError {
  const result = resultSchema.parse(JSON.parse(stored.toString()));
  const withReplayed = { ...result.headers, ...replayed };
  if ('refused' in result) {
    const { refused, message, param } = result;
    return { errorCode: refused, message, param, headers: withReplayed };
  }
  const { content, status, contentType } = result;
  return {
    content,
    headers: withReplayed,
    ...(status === undefined ? {} : { status }),
    ...(contentType === undefined ? {} : { contentType }),
  };
}
