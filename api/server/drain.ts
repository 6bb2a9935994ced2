import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The closing of connections before a process stops. Responses announce the close (`Connection: close`, RFC 9112
 * section 9.6). Clients then send the next request on another connection, so no request is in flight when the
 * connection closes.
 */
export interface Drain {
  /** Starts to announce the close of connections, also in responses in flight. */
  start: () => void;
  /**
   * Registers a request, and announces the close of its connection if the drain has started.
   * @returns false for a request that follows an announcement. The client of such a request cannot get a response, so
   * the request must have no effect.
   */
  admit: (response: ServerResponse) => boolean;
}

/** @param inFlight the incomplete responses, without the response passed to `admit` */
export function createDrain(inFlight: ReadonlySet<ServerResponse>): Drain {
  /**
   * The last response of each connection with pipelined requests. The last response announces the close, because Node
   * would discard responses after the announcement.
   */
  const newest = new WeakMap<Socket, ServerResponse>();
  let hasBegun = false;

  return {
    start: () => {
      hasBegun = true;
      for (const response of inFlight) {
        if (newest.get(response.req.socket) === response) {
          setConnection(response, 'close');
        }
      }
    },
    admit: (response) => {
      const { socket } = response.req;
      const earlier = newest.get(socket);
      const follows = earlier !== undefined && inFlight.has(earlier);
      if (hasBegun && follows && earlier.headersSent && earlier.getHeader('Connection') === 'close') {
        return false;
      }
      newest.set(socket, response);
      if (hasBegun) {
        if (follows) {
          setConnection(earlier, 'keep-alive');
        }
        setConnection(response, 'close');
      }
      return true;
    },
  };
}

function setConnection(response: ServerResponse, value: 'close' | 'keep-alive'): void {
  if (!response.headersSent) {
    response.setHeader('Connection', value);
  }
}
