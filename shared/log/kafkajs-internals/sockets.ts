import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

import type { ISocketFactory } from 'kafkajs';

/** The sockets of a Kafka client. */
export interface KafkaSockets {
  readonly create: ISocketFactory;
  /**
   * Closes the sockets that kafkajs has left open, and each later one. If a group of kafkajs 2.2.4 ends while it opens a
   * connection, the connection remains, with its timer. Must follow the end of all producers, consumers and admins.
   */
  readonly close: () => void;
}

/**
 * Creates sockets that prevent a listener leak of kafkajs 2.2.4. Each caller that waited for a failed connection
 * disconnects the connection, which calls `unref()` on its socket. Node defers `unref()` until the socket connects, but
 * a destroyed socket never connects. Each `unref()` on a destroyed socket would add a listener, and the eleventh
 * listener causes a warning.
 */
export function createKafkaSockets(): KafkaSockets {
  const load = createRequire(import.meta.url);
  const createDefault = load('kafkajs/src/network/socketFactory.js') as () => ISocketFactory;
  const create = createDefault();
  const open = new Set<Socket>();
  let isClosed = false;
  // With an error, kafkajs ends the timers of the connection too.
  const end = (socket: Socket) => {
    socket.destroy(new Error('this process no longer uses Kafka'));
  };
  return {
    create: (options) => {
      const socket = create(options);
      const unref = socket.unref.bind(socket);
      socket.unref = () => (socket.destroyed ? socket : unref());
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      if (isClosed) {
        end(socket);
      }
      return socket;
    },
    close: () => {
      isClosed = true;
      open.forEach(end);
    },
  };
}
