import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import process from 'node:process';

import { eventually } from './eventually.js';

/**
 * The time for which handles of the tests may remain open after the last test. It exceeds the 30 s after which the
 * clients of servers give up a request.
 */
const limitMs = 45_000;

/** The open handles that keep this process alive, by kind: sockets, timers, servers, other processes. */
export function openNow(): readonly string[] {
  return process.getActiveResourcesInfo();
}

/** Connections to servers that were opened since a moment, with the code that opened each of them. */
export interface Connections {
  /** A line for each open connection: its remote address, and the calls that led to it. */
  readonly open: () => readonly string[];
  readonly stopWatching: () => void;
}

/** The calls that led to a connection and that a failure names. */
const shownCalls = 6;

/** Watches the connections of this process, so that a failure can name those that a test did not close. */
export function watchConnections(): Connections {
  const sockets = new Map<Socket, string>();
  const keep = (message: unknown) => {
    if (typeof message === 'object' && message !== null && 'socket' in message) {
      const { socket } = message;
      if (socket instanceof Socket) {
        sockets.set(socket, callsOf(new Error('connection')));
        socket.once('close', () => sockets.delete(socket));
      }
    }
  };
  subscribe('net.client.socket', keep);
  return {
    open: () =>
      [...sockets].map(
        ([{ remoteAddress, remotePort }, calls]) =>
          `${remoteAddress ?? 'unconnected'}:${remotePort ?? 0} ${calls}`,
      ),
    stopWatching: () => {
      unsubscribe('net.client.socket', keep);
    },
  };
}

/** The innermost calls outside of Node.js. */
function callsOf({ stack = '' }: Error): string {
  const calls = stack.split('\n').slice(2);
  return calls
    .filter((call) => !call.includes('node:') && !call.includes('leftOpen'))
    .slice(0, shownCalls)
    .map((call) => call.trim())
    .join(' ');
}

/**
 * Waits until no handles are open except those from before.
 * @throws Error that names the handles that are still open, and the connections among them
 */
export function untilClosed(before: readonly string[], connections: Connections): Promise<boolean> {
  return eventually(
    'the end of all that the tests have opened',
    () => {
      const left = beyond(before, openNow());
      if (left.length > 0) {
        throw new Error([`left open: ${left.join(', ')}`, ...connections.open()].join('\n'));
      }
      return true;
    },
    limitMs,
  );
}

function beyond(before: readonly string[], now: readonly string[]): readonly string[] {
  const known = [...before];
  return now.filter((kind) => {
    const index = known.indexOf(kind);
    known.splice(index, index === -1 ? 0 : 1);
    return index === -1;
  });
}
