import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

import type { Clock } from '../../shared/core/clock.js';
import type { Identifiers } from '../../shared/domain/core/identifiers.js';
import { errorCodes } from '../http/errorCodes.js';
import { errorEnvelope, helpLink, apiError, type ApiError } from '../http/apiError.js';

/** Answers to what never becomes a request: they are written to the connection itself, which then ends. */
export interface ProtocolErrors {
  /** For the `clientError` event of a server: the HTTP parser gave up, or the request did not come in time. */
  readonly onClientError: (error: Error, socket: Duplex) => void;
  /** For the `connect` event of a server: this is no proxy. */
  readonly onConnect: (request: IncomingMessage, socket: Duplex) => void;
}

export interface ProtocolErrorDependencies {
  readonly identifiers: Identifiers;
  readonly clock: Clock;
  /** Those of every answer. */
  readonly commonHeaders: Readonly<Record<string, string>>;
  /** What to answer to a method that a path does not take. */
  readonly refuse: (path: string) => ApiError;
}

/** What Node's HTTP parser says of where it gave up. */
interface ParserError extends Error {
  readonly code?: unknown;
  readonly rawPacket?: Buffer;
  /** How many bytes of the packet it had taken. */
  readonly bytesParsed?: number;
}

/** What a client has to read the answer before the connection is closed for good. */
const lingerMs = 1000;

const requestLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\/[^ ?]*)(?:\?[^ ]*)? HTTP\/1\.[01]\r\n/;

/** By the code of Node's error. */
const refusals: Readonly<Record<string, ApiError>> = {
  HPE_HEADER_OVERFLOW: apiError(
    'headers_too_large',
    'Send a smaller header: path, query and header fields together may have 16 KiB.',
  ),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: apiError(
    'payload_too_large',
    'Send the body without chunk extensions: together they may have 16 KiB.',
  ),
  ERR_HTTP_REQUEST_TIMEOUT: apiError(
    'request_timeout',
    'Send the request faster: its header within 10 seconds, all of it within 30.',
  ),
};
const notHttp = apiError('http_invalid', 'Send a request that is valid HTTP/1.1.');

export function createProtocolErrors({
  identifiers,
  clock,
  commonHeaders,
  refuse,
}: ProtocolErrorDependencies): ProtocolErrors {
  /** What such a client goes on sending is an error too, for each piece: it has its answer already. */
  const answered = new WeakSet<Duplex>();

  const end = (socket: Duplex, refused: ApiError) => {
    answered.add(socket);
    const { status } = errorCodes[refused.refused];
    const now = clock();
    const requestId = identifiers.create('req', now);
    const content = errorEnvelope(refused, requestId);
    const headers = {
      ...commonHeaders,
      Date: now.toUTCString(),
      Connection: 'close',
      'Request-Id': requestId,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(content),
      Link: helpLink(refused),
      ...refused.headers,
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
    socket.end(`HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${content}`);
    // Closed with bytes unread, a connection takes back the answer before the client has seen it.
    socket.resume();
    setTimeout(() => socket.destroy(), lingerMs).unref();
  };

  return {
    onClientError: (error, socket) => {
      if (answered.has(socket)) {
        return;
      }
      if (!socket.writable) {
        socket.destroy();
        return;
      }
      const path = pathOfUnknownMethod(error);
      const code = 'code' in error ? String(error.code) : '';
      end(socket, path === null ? (refusals[code] ?? notHttp) : refuse(path));
    },
    onConnect: ({ url }, socket) => {
      end(socket, refuse(url ?? ''));
    },
  };
}

/** A method that the HTTP parser does not know is one that no path takes. Null where that is not what was wrong. */
function pathOfUnknownMethod(error: ParserError): string | null {
  if (error.code !== 'HPE_INVALID_METHOD' || error.rawPacket === undefined) {
    return null;
  }
  const [, method = '', path = null] = requestLine.exec(error.rawPacket.toString('latin1')) ?? [];
  // Further on it is something behind another request, which came in the same packet.
  return Number(error.bytesParsed) <= method.length ? path : null;
}
