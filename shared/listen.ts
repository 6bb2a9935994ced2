import type { Server } from 'node:http';

export interface ListenAddress {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
}

/**
 * Has a server take connections.
 * @throws where it cannot listen there, with what to do where something else does
 */
export async function listen(server: Server, { host, port }: ListenAddress): Promise<void> {
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
      ? new Error(`port ${port} of ${host} is taken: stop what listens there, or set PORT to another one`, {
          cause: error,
        })
      : error;
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}
