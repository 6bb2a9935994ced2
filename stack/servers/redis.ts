import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';

import { loopback, portsOf, withFreePorts } from '../system/ports.js';
import {
  type FormerServer,
  type ServerHandle,
  type ServerHost,
  startServerProcess,
} from '../processes/serverProcess.js';
import { until } from '../system/polling.js';

export interface RedisOptions {
  readonly program: string;
  readonly directory: string;
  readonly logFile: string;
  /** Whether the keys survive a restart of Redis. */
  readonly persistent: boolean;
  readonly former?: FormerServer | undefined;
}

/** Starts a redis-server on a free port, or on its former port. A former server that runs is used. */
export function startRedis(
  options: RedisOptions,
  host: ServerHost,
): Promise<{ url: string; server: ServerHandle }> {
  return withFreePorts(
    1,
    async ([port = 0]) => {
      await mkdir(options.directory, { recursive: true });
      const server = await startServerProcess(
        {
          name: 'Redis',
          program: options.program,
          args: [
            ...['--bind', loopback, '--port', String(port), '--dir', options.directory],
            ...['--save', options.persistent ? '60 1' : '', '--appendonly', 'no'],
          ],
          logFile: options.logFile,
          whenReady: async (pid, signal) => {
            await until(async () => (await askForPid(port)) === pid, { timeoutMs: Infinity, signal });
          },
        },
        host,
        options.former?.running,
      );
      return { url: `redis://${loopback}:${String(port)}`, server };
    },
    portsOf(options.former),
  );
}

const answerMs = 1_000;

/**
 * The pid of the Redis on a port, or undefined until Redis responds. A PING is not sufficient, because the server of
 * another stack may have taken the port while the new server is about to fail.
 */
function askForPid(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ host: loopback, port, timeout: answerMs });
    const finish = (pid?: number) => {
      socket.destroy();
      resolve(pid);
    };
    socket.once('connect', () => socket.write('INFO server\r\n'));
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      const pid = /^process_id:(\d+)\r$/m.exec(answer)?.[1];
      if (pid !== undefined) {
        finish(Number(pid));
      }
      // While Redis loads its data, it responds with an error.
      else if (answer.startsWith('-')) {
        finish();
      }
    });
    for (const event of ['error', 'timeout', 'close']) {
      socket.once(event, () => {
        finish();
      });
    }
  });
}
