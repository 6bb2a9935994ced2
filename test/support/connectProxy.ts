import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { closeAtEndOfFile } from './fileResources.js';

/** What a proxy does with a CONNECT: it opens the tunnel, answers with a status, or does not answer. */
export type ProxyAnswer = 'open' | 'hang' | 'cut' | number;

/** A real HTTP proxy on 127.0.0.1 that accepts only CONNECT. */
export interface ConnectProxy {
  readonly url: string;
  readonly port: number;
  /** The target and the credentials of each CONNECT so far, without those to the proxy itself. */
  readonly requests: readonly { readonly target: string; readonly authorization: string | undefined }[];
  /** Changes the answers to all CONNECTs from now on. */
  readonly answer: (answer: ProxyAnswer) => void;
  /** Cuts off all tunnels, and accepts no more connections. */
  readonly stop: () => Promise<void>;
  /** Accepts connections again, on the same port. */
  readonly start: () => Promise<void>;
}

/** The target of a look whether the proxy works. */
const ownTarget = 'localhost:1';

export async function startConnectProxy(): Promise<ConnectProxy> {
  let answer: ProxyAnswer = 'open';
  const requests: { target: string; authorization: string | undefined }[] = [];
  const sockets = new Set<Duplex>();

  const keep = (socket: Duplex) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  };
  const open = (socket: Duplex, target: string) => {
    const { hostname, port } = new URL(`http://${target}`);
    const upstream = net.connect(Number(port), hostname.replace(/^\[|\]$/g, ''));
    keep(upstream);
    upstream.once('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(upstream).pipe(socket);
    });
    upstream.once('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    upstream.once('close', () => socket.destroy());
    socket.once('close', () => upstream.destroy());
  };
  const server = http.createServer();
  server.on('connection', (socket: Socket) => {
    keep(socket);
  });
  server.on('connect', ({ url: target = '', headers }, socket) => {
    if (target !== ownTarget) {
      requests.push({ target, authorization: headers['proxy-authorization'] });
    }
    if (answer === 'cut') {
      socket.destroy();
    } else if (typeof answer === 'number') {
      socket.end(`HTTP/1.1 ${answer} Failed\r\ncontent-length: 0\r\n\r\n`);
    } else if (answer === 'open') {
      open(socket, target);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    const closed = once(server, 'close');
    server.close();
    sockets.forEach((socket) => socket.destroy());
    await closed;
  };
  closeAtEndOfFile(async () => {
    if (server.listening) {
      await stop();
    }
  });
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requests,
    answer: (next) => {
      answer = next;
    },
    stop,
    start: async () => {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
  };
}
