import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type HandleRequest = (request: IncomingMessage, response: ServerResponse) => void;

/** Handles the requests of each connection one after the other. */
export interface PipelinedRequests {
  readonly onRequest: HandleRequest;
  /** The responses of all connections that are not finished: of requests that are handled, and of those that wait. */
  readonly pending: ReadonlySet<ServerResponse>;
  /** Those of one connection, in their order. */
  readonly pendingOn: (socket: object) => readonly ServerResponse[];
}

/** The most requests that wait for the responses before them: each is a few KiB. */
const maximumWaitingOfConnection = 50;
const maximumWaiting = 5000;

/**
 * A client that sends requests without reading has one response in memory, and changes that it pipelines take effect in their order
 * (RFC 9112 section 9.3.2: only safe methods may be processed in parallel).
 * @param onTooMany gets a connection on which more requests wait than may, or if more wait in all
 */
export function createPipelinedRequests(
  handle: HandleRequest,
  onTooMany: (socket: Socket) => void,
): PipelinedRequests {
  /** The first one of each line is being handled. */
  const lines = new WeakMap<object, ServerResponse[]>();
  const pending = new Set<ServerResponse>();
  let waiting = 0;

  const begin = (line: ServerResponse[], response: ServerResponse) => {
    response.once('close', () => {
      pending.delete(response);
      line.shift();
      const [next] = line;
      if (next?.req.socket.writable === true) {
        waiting -= 1;
        begin(line, next);
      } else {
        // What still waits on a connection that is closed is never answered.
        waiting -= line.length;
        for (const unanswered of line) {
          pending.delete(unanswered);
        }
        lines.delete(response.req.socket);
      }
    });
    handle(response.req, response);
  };

  return {
    pending,
    pendingOn: (socket) => [...(lines.get(socket) ?? [])],
    onRequest: ({ socket }, response) => {
      const line = lines.get(socket);
      if (!socket.writable) {
        // An earlier response has closed the connection.
        return;
      }
      if (line === undefined) {
        const begun = [response];
        pending.add(response);
        lines.set(socket, begun);
        begin(begun, response);
      } else if (line.length <= maximumWaitingOfConnection && waiting < maximumWaiting) {
        waiting += 1;
        line.push(response);
        pending.add(response);
      } else {
        onTooMany(socket);
      }
    },
  };
}
