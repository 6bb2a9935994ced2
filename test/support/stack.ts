import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { readRunningStack, startStack, type StackAddresses } from '../../stack/stack.js';

interface TestStack {
  readonly addresses: StackAddresses;
  readonly stop: () => Promise<void>;
}

let starting: Promise<TestStack> | null = null;

/** The servers that all tests share: those that `postrider stack up` runs here, or some of their own. */
export async function testStack(): Promise<StackAddresses> {
  starting ??= open();
  return (await starting).addresses;
}

/** Stops the servers where the tests have started them. */
export async function stopTestStack(): Promise<void> {
  await (await starting)?.stop();
}

async function open(): Promise<TestStack> {
  const running = await readRunningStack(resolve('.postrider'));
  return running === null ? startOwn() : { addresses: running, stop: () => Promise.resolve() };
}

async function startOwn(): Promise<TestStack> {
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
    stop: async () => {
      await stack.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
