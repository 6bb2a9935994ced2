import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ListenAddress {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The setting that an operator changes if the port is taken: `PORT` by default. */
  readonly setting?: string;
}

/**
 * Starts to accept connections.
 * @returns the address, as `http://host:port`
 * @throws if it cannot listen there; if the port is taken, the message says what to do
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

/** Hosts that a server can listen on, but that clients cannot open. */
const everyHost: readonly string[] = ['0.0.0.0', '::'];

/** The public address of the service: the setting, or else the address that it listens on. */
export function publicUrlOf({ host, port, publicUrl }: HttpSettings): string {
  const shown = everyHost.includes(host) ? '127.0.0.1' : host;
  return publicUrl ?? `http://${shown.includes(':') ? `[${shown}]` : shown}:${String(port)}`;
}
