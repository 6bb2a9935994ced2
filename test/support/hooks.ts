import process from 'node:process';
import { setImmediate as endOfTurn } from 'node:timers/promises';

import { beginFile, endFile } from './fileResources.js';
import { openNow, untilClosed, watchConnections, type Connections } from './leftOpen.js';
import { createOpened } from './opened.js';
import { openResourceServer } from './sharedResources.js';
import type { ServicePlace } from './service.js';

const shared = createOpened();
/** Whether the shared resources run in this process too. With `--no-parallel` only the teardown checks for open handles. */
let hasResources = false;

/**
 * The setup in mocha's main process. The processes that run test files get the shared resources from it. It loads the program only when
 * a test needs it, so that tests of a part do not wait for the whole program.
 */
export async function mochaGlobalSetup(): Promise<void> {
  const resourceServer = await openResourceServer({
    stack: async () => {
      const { openSharedStack } = await import('./stack.js');
      const { addresses, close } = await openSharedStack();
      shared.add('servers', close);
      return addresses;
    },
    service: async (): Promise<ServicePlace> => {
      const { startService } = await import('./service.js');
      const { address, settings, stop } = await startService();
      shared.add('service', stop);
      return { address, settings };
    },
  });
  shared.add('resource server', resourceServer.close);
  hasResources = true;
}

/** The time for which open handles may keep mocha's main process alive after the last test. */
const leakedAfterMs = 20_000;

export async function mochaGlobalTeardown(): Promise<void> {
  await shared.releaseAll();
  setTimeout(() => {
    process.stderr.write(`Left open by the tests: ${openNow().join(', ')}\n`);
    process.exit(1);
  }, leakedAfterMs).unref();
}

let openBefore: readonly string[] = [];
let connections: Connections | null = null;

/** The hooks of each test file, in the process that runs it. */
export const mochaHooks = {
  beforeAll: async () => {
    beginFile();
    // Some tests use kafkajs without the program, and kafkajs retains what its first request has loaded.
    const { replaceRecordFormat } = await import('../../shared/log/kafkajs-internals/replaceRecordFormat.js');
    replaceRecordFormat();
    // Mocha's timer of the present hook is open here, and in the hook below too.
    await endOfTurn();
    openBefore = openNow();
    connections = watchConnections();
  },
  afterAll: async () => {
    await endFile();
    connections?.stopWatching();
    if (!hasResources && connections !== null) {
      await untilClosed(openBefore, connections);
    }
  },
};
