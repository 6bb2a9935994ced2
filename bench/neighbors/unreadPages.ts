import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import type { Disturbance } from './disturbance.js';

/** Connections whose clients request pages of events and never read a response. */
export interface UnreadPages extends Disturbance {
  /** How many connections the service has closed so far. Each was opened again. */
  readonly closed: () => number;
  readonly stop: () => void;
}

/** Requests that each connection sends at once, without waiting for a response. */
const pipelined = 3;
const reconnectMs = 1000;

export function requestUnreadPages(
  eventsUrl: string,
  headers: Readonly<Record<string, string>>,
  connections: number,
): UnreadPages {
  const { hostname, port, pathname } = new URL(eventsUrl);
  const lines = Object.entries({ host: hostname, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const requests = `GET ${pathname}?limit=100 HTTP/1.1\r\n${lines.join('')}\r\n`.repeat(pipelined);
  const sockets = new Set<Socket>();
  let isStopped = false;
  let closed = 0;

  const open = () => {
    const socket = connect(Number(port), hostname);
    sockets.add(socket);
    // Without a listener for data nothing is read but one chunk.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      sockets.delete(socket);
      closed += 1;
      void pause(reconnectMs).then(() => {
        if (!isStopped) {
          open();
        }
      });
    });
    socket.write(requests);
  };
  for (let count = 0; count < connections; count += 1) {
    open();
  }
  return {
    closed: () => closed,
    stop: () => {
      isStopped = true;
      sockets.forEach((socket) => socket.destroy());
    },
  };
}
