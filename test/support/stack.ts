import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { readRunningStack, startStack, type StackAddresses } from '../../stack/stack.js';
import { requestResource } from './sharedResources.js';

/** The servers that all tests share, in all processes of a test run. */
export interface SharedStack {
  readonly addresses: StackAddresses;
  /** Stops them if the tests have started them. */
  readonly close: () => Promise<void>;
}

/** The servers that all tests share. They belong to `postrider stack up` if it runs here, and otherwise to the tests. */
export function testStack(): Promise<StackAddresses> {
  return requestResource<StackAddresses>('stack');
}

/** Finds or starts the servers. Only one process calls it. */
export async function openSharedStack(): Promise<SharedStack> {
  const running = await readRunningStack(resolve('.postrider'));
  return running === null ? startOwn() : { addresses: running, close: () => Promise.resolve() };
}

async function startOwn(): Promise<SharedStack> {
  const directory = await mkdtemp(join(tmpdir(), 'postrider-test-'));
  const stack = await startStack({
    directory,
    ephemeral: true,
    onProgress: (line) => {
      process.stderr.write(`${line}\n`);
    },
  });
  return {
    addresses: stack.addresses,
    close: async () => {
      await stack.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
