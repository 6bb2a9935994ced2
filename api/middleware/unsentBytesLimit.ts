import { Readable } from 'node:stream';

import { UnavailableError } from '../../shared/core/errors.js';
import { networkOfRequest } from '../http/clientNetwork.js';
import type { ApiContext, ApiMiddleware } from '../http/context.js';
import type { UnsentBytes } from '../server/unsentBytes.js';

/**
 * The size of the pieces of larger responses, in bytes. The progress of a connection is visible per piece. A client that reads one piece
 * within the time limit is slow, but not stalled.
 */
const pieceBytes = 64 * 1024;
/** Smaller responses are not counted. A connection has one at a time, and most of them fit into the buffers of the operating system. */
const countedBytes = 16 * 1024;
const retryAfterSeconds = 5;
const unread = 'too many bytes of earlier responses are unread';

const safeMethods: readonly string[] = ['GET', 'HEAD'];

/** Limits the bytes of responses that clients have not read, and sends large responses in pieces. */
export function createUnsentBytesLimit(unsentBytes: UnsentBytes): ApiMiddleware {
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
    // A change always gets its response, because a client would repeat the change after a 503.
    if (safeMethods.includes(context.method) && !unsentBytes.hasRoom(owner, bytes.length)) {
      // Removes the headers of the discarded response.
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

/** The owner of the response to a request: an account, or a network. */
function ownerOf(context: ApiContext): string {
  return context.state.caller?.accountId ?? networkOfRequest(context);
}

/** The counted bytes of a response. Null if it is small, is a stream, or has no body. */
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
