import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The closing of connections before a process stops: answers announce it (`Connection: close`, RFC 9112 section 9.6), so that clients
 * send their next request on another connection and no request is on its way when the connection closes.
 */
export interface Drain {
  /** Begins to announce, for the requests in flight too. */
  begin: () => void;
  /**
   * Takes note of a request, and announces the close of its connection if the drain has begun.
   * @returns false for a request behind an announcement: its client cannot get an answer, so it must have no effect
   */
  admit: (response: ServerResponse) => boolean;
}

/** @param inFlight the responses that are not complete, without the one that `admit` is called with */
export function createDrain(inFlight: ReadonlySet<ServerResponse>): Drain {
  /** Pipelined requests have several responses in flight: the close is announced by the last one, which Node would not send otherwise. */
  const newest = new WeakMap<Socket, ServerResponse>();
  let hasBegun = false;

  return {
    begin: () => {
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
