import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

import type { Clock } from '../../shared/core/clock.js';
import type { Identifiers } from '../../shared/domain/core/identifiers.js';
import { apiError, errorEnvelope, helpLink, type ApiError } from '../http/apiError.js';
import { errorCodes } from '../http/errorCodes.js';

/**
 * Error responses to invalid HTTP. The API writes such a response directly to the connection, and then closes the
 * connection.
 */
export interface ProtocolErrors {
  /** The handler of the server's event `clientError`, for a parser error or a request timeout. */
  readonly onClientError: (error: Error, socket: Duplex) => void;
  /** The handler of the server's event `connect`. The handler rejects the request, because the API is not a proxy. */
  readonly onConnect: (request: IncomingMessage, socket: Duplex) => void;
}

export interface ProtocolErrorDependencies {
  readonly identifiers: Identifiers;
  readonly clock: Clock;
  readonly commonHeaders: Readonly<Record<string, string>>;
  /** The error for a method that a path does not support. */
  readonly routingError: (path: string) => ApiError;
}

/** The details of a parser error of Node. */
interface ParserError extends Error {
  readonly code?: unknown;
  readonly rawPacket?: Buffer;
  /** The number of bytes in the packet that Node has parsed. */
  readonly bytesParsed?: number;
}

/** How long a client may read the response before the connection is destroyed. */
const lingerMs = 1000;

const requestLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\/[^ ?]*)(?:\?[^ ]*)? HTTP\/1\.[01]\r\n/;

/** The API errors by the error code of Node. */
const protocolErrors: Readonly<Record<string, ApiError>> = {
  HPE_HEADER_OVERFLOW: apiError(
    'headers_too_large',
    'The path, the query and the header fields of the request are together larger than 16 ' +
      'KiB. Send fewer or shorter header fields.',
  ),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: apiError(
    'payload_too_large',
    'The chunk extensions of the body are together larger than 16 KiB. Send the body without chunk extensions.',
  ),
  ERR_HTTP_REQUEST_TIMEOUT: apiError(
    'request_timeout',
    'The request arrived too slowly. Send the header within 10 seconds, and the whole request ' +
      'within 30 seconds.',
  ),
};
const notHttp = apiError(
  'http_invalid',
  'The request is not valid HTTP/1.1. Use an HTTP library to send the request.',
);

export function createProtocolErrors({
  identifiers,
  clock,
  commonHeaders,
  routingError,
}: ProtocolErrorDependencies): ProtocolErrors {
  /**
   * The connections that already got an error response. Node reports each further packet of such a client as another
   * error.
   */
  const answered = new WeakSet<Duplex>();

  const end = (socket: Duplex, error: ApiError) => {
    answered.add(socket);
    const { status } = errorCodes[error.errorCode];
    const now = clock();
    const requestId = identifiers.create('req', now);
    const content = errorEnvelope(error, requestId);
    const headers = {
      ...commonHeaders,
      Date: now.toUTCString(),
      Connection: 'close',
      'Request-Id': requestId,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(content),
      Link: helpLink(error),
      ...error.headers,
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
    socket.end(`HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${content}`);
    // Closing a connection with unread bytes would discard the response.
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
      end(socket, path === null ? (protocolErrors[code] ?? notHttp) : routingError(path));
    },
    onConnect: ({ url }, socket) => {
      end(socket, routingError(url ?? ''));
    },
  };
}

/** The path of a request whose method the HTTP parser does not know, or null for any other error. */
function pathOfUnknownMethod(error: ParserError): string | null {
  if (error.code !== 'HPE_INVALID_METHOD' || error.rawPacket === undefined) {
    return null;
  }
  const [, method = '', path = null] = requestLine.exec(error.rawPacket.toString('latin1')) ?? [];
  // A parser error after the method concerns a later request in the same packet.
  return Number(error.bytesParsed) <= method.length ? path : null;
}
