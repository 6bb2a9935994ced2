import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type HandleRequest = (request: IncomingMessage, response: ServerResponse) => void;

/** Sequential handling of the requests of each connection. */
export interface PipelinedRequests {
  readonly onRequest: HandleRequest;
  /** The unfinished responses of all connections, including queued requests. */
  readonly pending: ReadonlySet<ServerResponse>;
  /** The unfinished responses of one connection, in the order of the requests. */
  readonly pendingOn: (socket: object) => readonly ServerResponse[];
}

/** The largest number of queued requests of a connection. Each queued request takes a few KiB. */
const maximumWaitingOfConnection = 50;
const maximumWaiting = 5000;

/**
 * Queues for pipelined requests. A client that does not read has one response in memory. Pipelined changes take effect
 * in order, because only safe methods may be processed in parallel (RFC 9112 section 9.3.2).
 * @param onTooMany receives a connection if its queued requests, or those of all connections, exceed the limit
 */
export function createPipelinedRequests(
  handle: HandleRequest,
  onTooMany: (socket: Socket) => void,
): PipelinedRequests {
  /** The queued responses of each connection. The first response of each queue is in progress. */
  const queues = new WeakMap<object, ServerResponse[]>();
  const pending = new Set<ServerResponse>();
  let waiting = 0;

  const begin = (queue: ServerResponse[], response: ServerResponse) => {
    response.once('close', () => {
      pending.delete(response);
      queue.shift();
      const [next] = queue;
      if (next?.req.socket.writable === true) {
        waiting -= 1;
        begin(queue, next);
      } else {
        // Queued requests of a closed connection get no response.
        waiting -= queue.length;
        for (const unanswered of queue) {
          pending.delete(unanswered);
        }
        queues.delete(response.req.socket);
      }
    });
    handle(response.req, response);
  };

  return {
    pending,
    pendingOn: (socket) => [...(queues.get(socket) ?? [])],
    onRequest: ({ socket }, response) => {
      const queue = queues.get(socket);
      if (!socket.writable) {
        // An earlier response has closed the connection.
        return;
      }
      if (queue === undefined) {
        const begun = [response];
        pending.add(response);
        queues.set(socket, begun);
        begin(begun, response);
      } else if (queue.length <= maximumWaitingOfConnection && waiting < maximumWaiting) {
        waiting += 1;
        queue.push(response);
        pending.add(response);
      } else {
        onTooMany(socket);
      }
    },
  };
}
