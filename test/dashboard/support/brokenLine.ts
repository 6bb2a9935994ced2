import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { closeAtEndOfFile } from '../../support/fileResources.js';

/** A connection to a service that can be interrupted. */
export interface BrokenLine {
  /** The address to connect to instead of the service. */
  readonly address: string;
  /** Closes every connection, and closes new ones at once. */
  readonly cut: () => void;
  readonly restore: () => void;
  readonly close: () => Promise<void>;
}

export async function openLine(to: string): Promise<BrokenLine> {
  const { hostname, port } = new URL(to);
  const open = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => open.delete(socket));
  };
  const cut = () => {
    isCut = true;
    open.forEach((socket) => socket.destroy());
  };
  const server = createServer((near) => {
    keep(near);
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(Number(port), hostname);
    keep(far);
    near.pipe(far).pipe(near);
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    restore: () => {
      isCut = false;
    },
    close: closeAtEndOfFile(
      () =>
        new Promise<void>((resolve) => {
          server.close(() => {
            resolve();
          });
          cut();
        }),
    ),
  };
}
