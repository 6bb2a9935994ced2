import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/**
 * Holds a name for this process, until it ends or releases the name. The name is that of a socket, which the operating
 * system closes if the process is killed, so that no run has to guess whether a lock is stale.
 * @returns releases the name, or null if another process holds it
 */
export async function holdName(
  name: string,
  platform: NodeJS.Platform = process.platform,
): Promise<(() => void) | null> {
  const address = socketAddress(name, platform);
  const isFile = address.startsWith('/');
  const release = await listenOn(address);
  if (release !== null || !isFile || (await isAnswered(address))) {
    return release;
  }
  // The file of a killed process stays.
  rmSync(address, { force: true });
  return listenOn(address);
}

/** Only a socket file outlives its process: the abstract sockets of Linux and the pipes of Windows do not. */
function socketAddress(name: string, platform: NodeJS.Platform): string {
  const socket = `postrider-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
  switch (platform) {
    case 'linux':
      return `\0${socket}`;
    case 'win32':
      return `\\\\.\\pipe\\${socket}`;
    default:
      return join(tmpdir(), socket);
  }
}

async function listenOn(address: string): Promise<(() => void) | null> {
  const server = createServer((socket) => socket.destroy());
  try {
    await once(server.listen(address), 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      return null;
    }
    throw error;
  }
  server.unref();
  return () => server.close();
}

/** Whether a process listens. A suspended one does too. */
async function isAnswered(address: string): Promise<boolean> {
  const socket = connect(address);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
