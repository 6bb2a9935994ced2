import { createServer, type AddressInfo, type Socket } from 'node:net';

/** A server of many webhooks, which takes little time of the process that measures the latency of another webhook. */
export interface PlainReceiver {
  readonly url: string;
  /** The paths that were requested. */
  readonly paths: ReadonlySet<string>;
  readonly close: () => Promise<void>;
}

const requestLine = /^POST (\S+) HTTP/u;
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

/**
 * Starts a server that reads only the first line of a request. Each request must arrive in one piece, as small ones do.
 * @param answers whether it answers requests, or never does
 */
export async function startPlainReceiver(answers: boolean): Promise<PlainReceiver> {
  const paths = new Set<string>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      const path = requestLine.exec(chunk.toString('latin1'))?.[1];
      if (path !== undefined) {
        paths.add(path);
        socket.write(answers ? ok : '');
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    paths,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of sockets) {
          socket.destroy();
        }
      }),
  };
}
