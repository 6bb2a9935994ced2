import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Releasers } from '../shared/runtime/lifecycle.js';
import { startStack, type RunningStack } from '../stack/stack.js';

/** The servers that all pipelines of a run share, one after the other. */
export interface Servers {
  readonly addresses: RunningStack['addresses'];
  /** Pids by their names. */
  readonly pids: ReadonlyMap<string, number>;
  /** Where the run keeps files: gone at its end. */
  readonly directory: string;
}

/** Starts Kafka, MongoDB and Redis as the local stack runs them, with data that is deleted at the end. */
export async function startServers(
  releasers: Releasers,
  onProgress: (line: string) => void,
): Promise<Servers> {
  const directory = await mkdtemp(join(tmpdir(), 'postrider-bench-'));
  releasers.add('directory', () => rm(directory, { recursive: true, force: true }));
  // Not `ephemeral`: those servers start sooner and run slower.
  const stack = await startStack({ directory, onProgress });
  releasers.add('servers', stack.stop);
  const { kafka, mongodb, redis } = stack;
  return {
    addresses: stack.addresses,
    pids: new Map([kafka, mongodb, redis].map(({ name, pid }) => [name, pid])),
    directory,
  };
}
