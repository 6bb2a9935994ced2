import { connect, type Socket } from 'node:net';

import { eventually } from '../../support/eventually.js';

/** A connection on which a test writes any bytes. */
export interface Connection {
  readonly write: (bytes: string | Buffer) => void;
  /** The bytes that were received so far. */
  readonly received: () => string;
  /** Waits until the received text has the form, and returns the text. */
  readonly receives: (form: RegExp, timeoutMs?: number) => Promise<string>;
  /** Waits until the server has ended the connection. */
  readonly ended: () => Promise<void>;
  readonly socket: Socket;
  readonly close: () => void;
}

export async function openConnection(address: string): Promise<Connection> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  let text = '';
  let isEnded = false;
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isEnded = true;
  });
  socket.on('end', () => {
    isEnded = true;
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return {
    socket,
    write: (bytes) => {
      socket.write(bytes);
    },
    received: () => text,
    receives: (form, timeoutMs) =>
      eventually(`an answer like ${String(form)}`, () => (form.test(text) ? text : null), timeoutMs),
    ended: async () => {
      await eventually('the end of the connection', () => (isEnded ? true : null));
    },
    close: () => {
      socket.destroy();
    },
  };
}
