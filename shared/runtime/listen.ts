import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ListenAddress {
  readonly host: string;
  /** The port number; 0 selects any free port. */
  readonly port: number;
  /** The setting that contains the port, which the error message names; `PORT` by default. */
  readonly setting?: string;
}

/**
 * Makes a server accept connections.
 * @returns the address of the server, as `http://host:port`
 * @throws if the server cannot listen on the address; if the port is taken, the message says what to do
 */
export async function listen(
  server: Server,
  { host, port, setting = 'PORT' }: ListenAddress,
): Promise<string> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (error) {
    throw isTaken(error)
      ? new Error(
          `the port ${port} of ${host} is in use: stop the program that uses this port, or set ` +
            `${setting} to another port`,
          {
            cause: error,
          },
        )
      : error;
  }
  const { port: opened } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${opened}`;
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

interface HttpSettings {
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string | null;
}

/** The hosts that mean all addresses of a machine. A server can listen on such a host, but a client cannot open it. */
const everyHost: readonly string[] = ['0.0.0.0', '::'];

/** The public address of the service: the setting, or else the address on which the API listens. */
export function publicUrlOf({ host, port, publicUrl }: HttpSettings): string {
  const shown = everyHost.includes(host) ? '127.0.0.1' : host;
  return publicUrl ?? `http://${shown.includes(':') ? `[${shown}]` : shown}:${String(port)}`;
}
