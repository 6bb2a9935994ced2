import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

import { closeAtEndOfFile } from './fileResources.js';

/** Connections to a server of this machine that a test can break. */
export interface TcpProxy {
  readonly address: string;
  /** Cuts off all connections, and the later ones at once. */
  readonly cut: () => void;
  /** Forwards no more bytes, of open and of later connections, without closing them. */
  readonly hang: () => void;
  /** Forwards later connections again, and cuts off those that hang. */
  readonly heal: () => void;
}

/** @param target the address of the server, asked at each connection */
export async function startTcpProxy(target: () => string): Promise<TcpProxy> {
  let state: 'open' | 'cut' | 'hanging' = 'open';
  const sockets = new Set<Socket>();
  const hold = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  const destroyAll = () => {
    sockets.forEach((socket) => socket.destroy());
  };
  const server = createServer((client) => {
    hold(client);
    if (state === 'cut') {
      client.destroy();
    }
    if (state !== 'open') {
      return;
    }
    const { hostname, port } = new URL(target());
    const upstream = connect(Number(port), hostname);
    hold(upstream);
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closeAtEndOfFile(async () => {
    const closed = once(server, 'close');
    server.close();
    destroyAll();
    await closed;
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      state = 'cut';
      destroyAll();
    },
    hang: () => {
      state = 'hanging';
      sockets.forEach((socket) => socket.unpipe().pause());
    },
    heal: () => {
      state = 'open';
      destroyAll();
    },
  };
}
