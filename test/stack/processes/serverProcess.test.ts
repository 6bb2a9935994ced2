import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect } from 'chai';

import { PortTakenError } from '../../../stack/system/errors.js';
import { isRunning } from '../../../stack/system/processHandle.js';
import {
  type ServerHandle,
  type ServerPlan,
  startServerProcess,
} from '../../../stack/processes/serverProcess.js';
import { until } from '../../../stack/system/polling.js';
import { createWatchdog, type Watchdog } from '../../../stack/processes/watchdog.js';
import { eventually } from '../../support/eventually.js';
import { makeDirectory, removeDirectories } from '../directories.js';
import { failureOf } from '../failures.js';
import { processesWith } from '../processes.js';

describe('startServer', () => {
  let directory: string;
  let watchdog: Watchdog;
  let servers: ServerHandle[];

  beforeEach(async () => {
    directory = await makeDirectory();
    watchdog = createWatchdog();
    servers = [];
  });

  afterEach(async () => {
    await Promise.all(servers.map((server) => server.kill()));
    watchdog.close();
    await removeDirectories();
  });

  /** A server that is a shell script, and ready once its log has the line `ready`. */
  async function start(script: string, change: Partial<ServerPlan> = {}): Promise<ServerHandle> {
    const logFile = join(directory, 'server.log');
    const plan: ServerPlan = {
      name: 'Test server',
      program: '/bin/sh',
      // The directory is an argument, so that the test finds the process by it.
      args: ['-c', script, directory],
      logFile,
      whenReady: async (_pid, signal) => {
        await until(async () => /^ready$/m.test(await readFile(logFile, 'utf8')), {
          timeoutMs: 10_000,
          signal,
        });
      },
      ...change,
    };
    const server = await startServerProcess(plan, { environment: process.env, watchdog });
    servers.push(server);
    return server;
  }

  const stays = 'echo ready; while :; do sleep 0.1; done';

  it('returns the process once it is ready', async () => {
    const server = await start(stays);

    expect(await isRunning(server.identity)).to.equal(true);
  });

  it('fails with the end of the log if the server ends', async () => {
    const failure = await failureOf(start('for n in $(seq 30); do echo line $n; done; exit 3'));

    const [headline, ...lines] = failure.split('\n');
    expect(headline).to.equal(
      `Test server did not start: it ended with code 3. The end of its log, ${directory}/server.log:`,
    );
    expect(lines).to.deep.equal(Array.from({ length: 15 }, (_, index) => `  line ${index + 16}`));
  });

  it('fails with an error that says so if the program is missing', async () => {
    const failure = await failureOf(start('', { program: join(directory, 'missing') }));

    expect(failure).to.match(/ended with code 127.*\n.*missing: not found/);
  });

  it('fails with a PortTakenError if the port is in use', async () => {
    const starting = start('echo bind: Address already in use; exit 1');

    expect(await starting.catch((error: unknown) => error)).to.be.instanceOf(PortTakenError);
  });

  it('ends a server that does not become ready', async () => {
    await failureOf(start(stays, { whenReady: () => Promise.reject(new Error('no primary')) }));

    expect(await processesWith(directory)).to.deep.equal([]);
  });

  it('keeps the log of the previous start', async () => {
    const server = await start(`echo before; ${stays}`);

    await server.restart();

    expect(await readFile(`${server.logFile}.previous`, 'utf8')).to.match(/^before\n/);
  });

  it('stops a server in order', async () => {
    const server = await start(`trap 'echo bye; exit' TERM; ${stays}`);

    await server.stop();

    expect(await readFile(server.logFile, 'utf8')).to.match(/bye\n$/);
  });

  it('stops a paused server in order', async () => {
    const server = await start(`trap 'echo bye; exit' TERM; ${stays}`);
    server.pause();

    await server.stop();

    expect(await readFile(server.logFile, 'utf8')).to.match(/bye\n$/);
  });

  it('kills a server without an orderly stop', async () => {
    const server = await start(`trap 'echo bye; exit' TERM; ${stays}`);

    await server.kill();

    expect(await readFile(server.logFile, 'utf8')).to.equal('ready\n');
  });

  it('resumes a paused server', async () => {
    const server = await start(stays.replace('sleep 0.1', 'sleep 0.1; echo tick'));
    server.pause();
    const whilePaused = await readFile(server.logFile, 'utf8');

    server.resume();

    await eventually('a tick', async () =>
      (await readFile(server.logFile, 'utf8')).length > whilePaused.length ? true : null,
    );
  });

  it('does nothing to a server that has ended', async () => {
    const server = await start(stays);
    await server.stop();

    await server.stop();
    await server.kill();
    server.resume();
  });
});
