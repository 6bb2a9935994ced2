import { createRequire } from 'node:module';

import type { ISocketFactory } from 'kafkajs';

/**
 * Makes the sockets that kafkajs 2.2.4 would make by itself, but for one thing. Everybody who waited for a connection that then
 * failed disconnects it, and disconnecting means `unref()`. Of a socket that is destroyed, Node puts that off until the socket
 * connects, which it never does: a listener more for each, and from the eleventh on a warning of a leak.
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
