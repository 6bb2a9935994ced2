import { Readable } from 'node:stream';

import { z } from 'zod';

import type { Answer, Reply } from '../http/answer.js';
import { isErrorCode, type ErrorCode } from '../http/errorCodes.js';
import { isApiError } from '../http/apiError.js';

const headers = z.record(z.string(), z.string());

const answerSchema = z.strictObject({
  content: z.string(),
  status: z.int().optional(),
  headers: headers.optional(),
  contentType: z.string().optional(),
});

const refusalSchema = z.strictObject({
  refused: z.custom<ErrorCode>(isErrorCode),
  message: z.string(),
  param: z.string().nullable(),
  headers,
});

const replySchema = z.union([answerSchema, refusalSchema]);

/** A reply as it is stored. All that the API answers is UTF-8, so its bytes come back as they were. */
export function encodeReply(reply: Reply): Buffer {
  const stored = isApiError(reply) ? reply : { ...reply, content: textOf(reply) };
  return Buffer.from(JSON.stringify(stored));
}

function textOf({ content }: Answer): string {
  if (content instanceof Readable) {
    throw new Error('an answer that goes on for ever cannot be stored');
  }
  return content.toString();
}

const replayed = { 'Idempotent-Replayed': 'true' };

/** A stored reply as it is answered once more. A refusal is written anew, so that its `requestId` is that of its own request. */
export function replayedReply(stored: Buffer): Reply {
  const reply = replySchema.parse(JSON.parse(stored.toString()));
  if ('refused' in reply) {
    return { ...reply, headers: { ...reply.headers, ...replayed } };
  }
  const { content, status, contentType } = reply;
  return {
    content,
    headers: { ...reply.headers, ...replayed },
    ...(status === undefined ? {} : { status }),
    ...(contentType === undefined ? {} : { contentType }),
  };
}
