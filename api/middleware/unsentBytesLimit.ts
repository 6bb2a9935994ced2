import type { Socket } from 'node:net';
import { Readable } from 'node:stream';

import { networkOfRequest } from './clientNetwork.js';
import type { ApiContext, ApiMiddleware } from '../http/context.js';
import { bytesOwnerOf } from '../http/ownership.js';
import type { UnsentBytes } from '../server/unsentBytes.js';

/**
 * The size of the pieces of a large response, in bytes. Each sent piece shows the progress of a connection. A client
 * that reads one piece within the time limit is slow, but not stalled.
 */
const pieceBytes = 64 * 1024;
/**
 * The size from which responses are counted, in bytes. A connection has one response at a time, and most smaller
 * responses fit into the buffers of the operating system.
 */
const countedBytes = 16 * 1024;
/**
 * How long a response counts after the operating system has its last byte, if the client does not show that it reads
 * the response.
 */
const usualUnconfirmedMs = 1000;

const safeMethods: readonly string[] = ['GET', 'HEAD'];

/** Limits the bytes of responses that clients have not read, and sends large responses in pieces. */
export function createUnsentBytesLimit(
  unsentBytes: UnsentBytes,
  unconfirmedMs = usualUnconfirmedMs,
): ApiMiddleware {
  const handedOver = createHandedOver(unconfirmedMs);
  return async (context, next) => {
    const owner = ownerOf(context);
    const { socket } = context.req;
    handedOver.confirm(socket);
    unsentBytes.requireRoom(owner, pieceBytes);
    await next();
    const bytes = countedBody(context);
    if (bytes === null || context.res.destroyed) {
      return;
    }
    // A change always gets its response, because a client would repeat the change after a 503.
    const isRead = safeMethods.includes(context.method);
    if (isRead && !unsentBytes.hasRoom(owner, bytes.length)) {
      // The discarded response has set `ETag` and `Content-Encoding`.
      context.remove('ETag');
      context.remove('Content-Encoding');
      context.set('Cache-Control', 'no-store');
      unsentBytes.requireRoom(owner, bytes.length);
    }
    const release = unsentBytes.add(owner, bytes.length);
    context.res.once('close', () => {
      // Changes are rejected only for bytes that the API process itself holds, because clients post large events on
      // many connections.
      if (isRead) {
        handedOver.add(socket, release);
      } else {
        release();
      }
    });
    if (bytes.length > pieceBytes) {
      context.body = inPieces(bytes);
      context.length = bytes.length;
    }
  };
}

interface HandedOver {
  /** @param release ends the count of the response's bytes */
  readonly add: (socket: Socket, release: () => void) => void;
  /**
   * Ends the counts of a connection if data has arrived since its last response, because its client has read that
   * response.
   */
  readonly confirm: (socket: Socket) => void;
}

/**
 * Responses that the operating system has, but whose clients may not have read them. The buffers of a connection hold
 * megabytes. If unread responses did not count, a client could request page after page and read none. The next request
 * of a client shows that the client has read the response, unless the request arrived before the response.
 */
function createHandedOver(unconfirmedMs: number): HandedOver {
  const unconfirmed = new WeakMap<
    Socket,
    { readonly bytesRead: number; readonly releases: Set<() => void> }
  >();
  return {
    add: (socket, release) => {
      if (socket.destroyed) {
        release();
        return;
      }
      const releases = unconfirmed.get(socket)?.releases ?? new Set();
      releases.add(release);
      unconfirmed.set(socket, { bytesRead: socket.bytesRead, releases });
      setTimeout(() => {
        releases.delete(release);
        release();
      }, unconfirmedMs).unref();
    },
    confirm: (socket) => {
      const waiting = unconfirmed.get(socket);
      if (waiting !== undefined && socket.bytesRead > waiting.bytesRead) {
        waiting.releases.forEach((release) => {
          release();
        });
        waiting.releases.clear();
      }
    },
  };
}

/** The owner of the response to a request: the account of the caller, the tenants of the account, or the client's network. */
function ownerOf(context: ApiContext): string {
  const { caller } = context.state;
  return caller ? bytesOwnerOf(caller) : networkOfRequest(context);
}

/** The bytes of a response that count, or null if the response is small, is a stream, or has no body. */
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
