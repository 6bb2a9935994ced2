import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import tls from 'node:tls';

/** A server whose responses a test determines byte for byte. */
export interface Receiver {
  readonly port: number;
  readonly url: string;
  /** The number of connections so far. */
  accepted: () => number;
  /** The number of open connections. */
  open: () => number;
  /** The complete requests so far, as text. */
  readonly requests: readonly string[];
  close: () => Promise<void>;
}

/** Handles a request. The number of the request on its connection distinguishes repeats. */
export type Answer = (socket: Socket, numberOnConnection: number) => void;

interface Listening {
  readonly host?: string;
  /** The certificate for TLS. */
  readonly certificate?: tls.TlsOptions;
  /** Handles a connection before its first byte. */
  readonly onConnection?: (socket: Socket) => void;
}

export async function startReceiver(answer: Answer, listening: Listening = {}): Promise<Receiver> {
  const { host = '127.0.0.1', certificate, onConnection } = listening;
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let accepted = 0;
  const serve = (socket: Socket): void => {
    let received = '';
    let numberOnConnection = 0;
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      for (let end = endOfRequest(received); end !== null; end = endOfRequest(received)) {
        requests.push(received.slice(0, end));
        received = received.slice(end);
        numberOnConnection += 1;
        answer(socket, numberOnConnection);
      }
    });
  };
  const server = certificate === undefined ? net.createServer(serve) : tls.createServer(certificate, serve);
  server.on('connection', (socket: Socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    onConnection?.(socket);
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}/`,
    accepted: () => accepted,
    open: () => sockets.size,
    requests,
    close: async () => {
      sockets.forEach((socket) => socket.destroy());
      server.close();
      await once(server, 'close');
    },
  };
}

/** The end of the first request in this text; null while the request is incomplete. */
function endOfRequest(text: string): number | null {
  const head = text.indexOf('\r\n\r\n');
  const length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(text)?.[1] ?? 0);
  const end = head + 4 + length;
  return head === -1 || text.length < end ? null : end;
}

/** Writes the same text as fast as the other side reads it, until the connection is closed. */
export function flood(socket: Socket, text: string): void {
  const write = (): void => {
    while (socket.writable && socket.write(text.repeat(100)));
    socket.once('drain', write);
  };
  write();
}

/** Writes the same text every few milliseconds, until the connection is closed. */
export function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 5);
  socket.once('close', () => {
    clearInterval(timer);
  });
}

/** Waits for a condition, for a few seconds at most. */
export async function eventually(condition: () => boolean, what: string, seconds = 5): Promise<void> {
  const deadline = Date.now() + seconds * 1_000;
  while (!condition()) {
    if (Date.now() > deadline) {
      throw new Error(`did not come about within ${seconds} s: ${what}`);
    }
    await delay(5);
  }
}
