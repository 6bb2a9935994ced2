import { randomInt } from 'node:crypto';
import { connect } from 'node:net';

import getPort from 'get-port';

import { PortTakenError } from './errors.js';

export const loopback = '127.0.0.1';

/**
 * The range of server ports, below the ports that Linux (32768 and up) and macOS (49152 and up) assign to outgoing
 * connections. No outgoing connection of a client can therefore take the port of a server that restarts.
 */
const lowestPort = 15_000;
const highestPort = 32_000;
const candidateCount = 20;
const attempts = 5;

/**
 * Finds a port of 127.0.0.1 on which no process listens. The port is random, so that two processes seldom choose the
 * same port.
 */
function findFreePort(): Promise<number> {
  const candidates = Array.from({ length: candidateCount }, () => randomInt(lowestPort, highestPort));
  return getPort({ host: loopback, port: candidates });
}

/**
 * Starts a server on free ports. If another process takes a port before the start, the function tries other ports.
 * @param preferred the first ports of the first attempt, such as those that the server had before
 * @throws any error of `start`, except the first few `PortTakenError`s
 */
export async function withFreePorts<Started>(
  count: number,
  start: (ports: readonly number[]) => Promise<Started>,
  preferred: readonly number[] = [],
): Promise<Started> {
  for (let attempt = 1; ; attempt += 1) {
    const kept = attempt === 1 ? preferred : [];
    const free = await Promise.all(Array.from({ length: count - kept.length }, findFreePort));
    const ports = [...kept, ...free];
    try {
      return await start(ports);
    } catch (error) {
      if (!(error instanceof PortTakenError) || attempt === attempts) {
        throw error;
      }
    }
  }
}

/** The ports that a server prefers: the port that it had before. */
export function portsOf(former: { readonly port: number } | undefined): readonly number[] {
  return former === undefined ? [] : [former.port];
}

/** Whether a process accepts connections on a port of 127.0.0.1. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: loopback, port });
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => {
      finish(true);
    });
    socket.once('error', () => {
      finish(false);
    });
  });
}
