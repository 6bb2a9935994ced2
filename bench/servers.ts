import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Releasers } from '../shared/runtime/lifecycle.js';
import { startStack, type RunningStack } from '../stack/stack.js';

/** The servers that all pipelines of a run share. */
export interface Servers {
  readonly addresses: RunningStack['addresses'];
  /** Pids by server name. */
  readonly pids: ReadonlyMap<string, number>;
  /** The directory of the run's files, which is deleted at the end. */
  readonly directory: string;
}

/** Starts Kafka, MongoDB and Redis as the local stack does. Their data is deleted at the end. */
export async function startServers(
  releasers: Releasers,
  onProgress: (line: string) => void,
): Promise<Servers> {
  const directory = await mkdtemp(join(tmpdir(), 'postrider-bench-'));
  releasers.add('directory', () => rm(directory, { recursive: true, force: true }));
  // Not `ephemeral`: such servers start faster and run slower.
  const stack = await startStack({ directory, onProgress });
  releasers.add('servers', stack.stop);
  const { kafka, mongodb, redis } = stack;
  return {
    addresses: stack.addresses,
    pids: new Map([kafka, mongodb, redis].map(({ name, pid }) => [name, pid])),
    directory,
  };
}
