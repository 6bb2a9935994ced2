import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';

import type { Certificates } from './certificates.js';
import { closeAtEndOfFile } from './fileResources.js';

export interface TlsProxy {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/**
 * Accepts TLS connections with certificates of this authority and forwards them to a server of this machine that has no TLS. A client
 * without a certificate of the authority is rejected.
 */
export async function startTlsProxy(
  { ca, server: { cert, key } }: Certificates,
  targetPort: number,
  port = 0,
): Promise<TlsProxy> {
  const sockets = new Set<Socket | TLSSocket>();
  const hold = (socket: Socket | TLSSocket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  const proxy = createServer({ ca, cert, key, requestCert: true, rejectUnauthorized: true }, (client) => {
    const target = connect(targetPort, '127.0.0.1');
    hold(client);
    hold(target);
    client.pipe(target).pipe(client);
    client.on('close', () => target.destroy());
    target.on('close', () => client.destroy());
  });
  proxy.on('tlsClientError', () => undefined);
  proxy.listen(port, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    close: closeAtEndOfFile(async () => {
      const closed = once(proxy, 'close');
      proxy.close();
      sockets.forEach((socket) => socket.destroy());
      await closed;
    }),
  };
}
