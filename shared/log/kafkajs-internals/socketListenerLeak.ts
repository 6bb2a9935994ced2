import { createRequire } from 'node:module';

import type { ISocketFactory } from 'kafkajs';

/**
 * A socket factory that prevents a listener leak of kafkajs 2.2.4. Each caller that waited for a failed connection
 * disconnects the connection, which calls `unref()` on its socket. Node defers `unref()` until the socket connects, but
 * a destroyed socket never connects. Each `unref()` on a destroyed socket would add a listener, and the eleventh
 * listener causes a warning.
 */
export function createSocketFactory(): ISocketFactory {
  const load = createRequire(import.meta.url);
  const createDefault = load('kafkajs/src/network/socketFactory.js') as () => ISocketFactory;
  const create = createDefault();
  return (options) => {
    const socket = create(options);
    const unref = socket.unref.bind(socket);
    socket.unref = () => (socket.destroyed ? socket : unref());
    return socket;
  };
}
