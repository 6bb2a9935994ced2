import type { Environment } from '../environment/environment.js';

/**
 * How the process of a role takes memory, as far as environment variables say it.
 *
 * `MALLOC_…`: where glibc takes large pieces from, in bytes, as it does at first: each by itself, and given back at once. Left alone it
 * takes larger and larger ones from its heap (mallopt(3), "M_MMAP_THRESHOLD"), where small ones that stay among them keep what was freed: after a
 * load three roles held 50 MB so.
 *
 * `--max-semi-space-size`, in MiB: how large each half of V8's young generation may grow under load. What an event allocates dies with
 * its attempt, so a collection costs by what is in flight, and with four times V8's 16 there are a quarter as many: an event takes 8 %
 * less processor time, for some 90 MB more of each role under load, which it gives back (docs/operations.md, "Memory under load, and after it").
 */
export const roleMemory = {
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
  NODE_OPTIONS: '--max-semi-space-size=64',
} as const;

/**
 * How the process of a role takes memory, as far as options of `node` alone say it: Node takes this one out of no environment variable.
 *
 * `--heap-growing-percent`: by how much V8's old generation grows before all of it is collected. Left alone V8 goes by how fast a process
 * allocates, and at a hundred events a second lets 32 MB grow by 5: a role then collected everything up to 16 times a minute, 9 ms each time and up to
 * 12 for each step before it, and the events of those moments came late. Three times what is in use is less than V8 allows under load.
 */
export const roleOptions = ['--heap-growing-percent=200'] as const;

/** The environment for the process of a role. What is set already counts: of an option that is given twice V8 takes the last. */
export function withRoleMemory(environment: Environment): Environment {
  const options = [roleMemory.NODE_OPTIONS, environment['NODE_OPTIONS'] ?? ''].join(' ').trim();
  return { ...roleMemory, ...environment, NODE_OPTIONS: options };
}
