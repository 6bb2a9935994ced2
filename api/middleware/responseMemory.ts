import { Readable } from 'node:stream';

import { UnavailableError } from '../../shared/core/errors.js';
import type { ApiContext, ApiMiddleware } from '../http/context.js';
import { networkOfRequest } from '../http/clientNetwork.js';
import type { UnsentBytes } from '../server/unsentBytes.js';

/**
 * Larger responses are sent in pieces of this size, in bytes. The progress of a connection is visible by the piece, so a client is slow
 * but not stalled as long as it reads one piece in the time limit.
 */
const pieceBytes = 64 * 1024;
/** Smaller responses are not counted: a connection has one at a time, and most fit into the buffers of the operating system. */
const countedBytes = 16 * 1024;
const retryAfterSeconds = 5;
const unread = 'too many bytes of earlier responses are not read yet';

const safeMethods: readonly string[] = ['GET', 'HEAD'];

/** Bounds the bytes of responses that clients do not read, and hands large responses to the connection in pieces. */
export function createSending(unsentBytes: UnsentBytes): ApiMiddleware {
  return async (context, next) => {
    const owner = ownerOf(context);
    if (!unsentBytes.hasRoom(owner, pieceBytes)) {
      throw new UnavailableError(unread, { retryAfterSeconds });
    }
    await next();
    const bytes = countedBody(context);
    if (bytes === null || context.res.destroyed) {
      return;
    }
    // What a change has done is answered in any case: a client would repeat it after a 503.
    if (safeMethods.includes(context.method) && !unsentBytes.hasRoom(owner, bytes.length)) {
      // The headers of the response that is not sent.
      context.remove('ETag');
      context.remove('Content-Encoding');
      context.set('Cache-Control', 'no-store');
      throw new UnavailableError(unread, { retryAfterSeconds });
    }
    context.res.once('close', unsentBytes.add(owner, bytes.length));
    if (bytes.length > pieceBytes) {
      context.body = inPieces(bytes);
      context.length = bytes.length;
    }
  };
}

/** Whose bytes the response to a request are. */
function ownerOf(context: ApiContext): string {
  return context.state.caller?.accountId ?? networkOfRequest(context);
}

/** The bytes of a response that are counted; null if it is small, a stream, or has no body. */
function countedBody(context: ApiContext): Buffer | null {
  const { body, method } = context;
  if (method === 'HEAD') {
    return null;
  }
  if (typeof body === 'string') {
    return body.length > countedBytes ? Buffer.from(body) : null;
  }
  return Buffer.isBuffer(body) && body.length > countedBytes ? body : null;
}

function inPieces(bytes: Buffer): Readable {
  let sent = 0;
  return new Readable({
    highWaterMark: pieceBytes,
    read() {
      const piece = bytes.subarray(sent, sent + pieceBytes);
      sent += piece.length;
      this.push(piece.length === 0 ? null : piece);
    },
  });
}
