import process from 'node:process';
import { setImmediate as endOfTurn } from 'node:timers/promises';

import { openDesk } from './desk.js';
import { openNow, untilClosed } from './leftOpen.js';
import { createOpened } from './opened.js';
import type { ServicePlace } from './service.js';

const shared = createOpened();
/** Whether what is shared runs in this process too: with `--no-parallel` only the teardown looks at what is left open. */
let hasDesk = false;

/**
 * Once, in mocha's own process: the processes that run test files find there what all of them share. The program is loaded only when a test needs it, so that tests of a part do not wait for all of it.
 */
export async function mochaGlobalSetup(): Promise<void> {
  const desk = await openDesk({
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
  shared.add('desk', desk.close);
  hasDesk = true;
}

/** How long what was opened may keep mocha's own process alive behind the last test. */
const leakedAfterMs = 20_000;

export async function mochaGlobalTeardown(): Promise<void> {
  await shared.releaseAll();
  setTimeout(() => {
    process.stderr.write(`Left open by the tests: ${openNow().join(', ')}\n`);
    process.exit(1);
  }, leakedAfterMs).unref();
}

let openBefore: readonly string[] = [];

/** For each test file, in the process that runs it. */
export const mochaHooks = {
  beforeAll: async () => {
    // Some tests use kafkajs without the program, and it retains what its first request has loaded.
    const { replaceRecordFormat } = await import('../../shared/log/kafkajs-internals/replaceRecordFormat.js');
    replaceRecordFormat();
    // Mocha's own timer of a hook that is waited for is open here as it is below.
    await endOfTurn();
    openBefore = openNow();
  },
  afterAll: async () => {
    if (!hasDesk) {
      await untilClosed(openBefore);
    }
  },
};
