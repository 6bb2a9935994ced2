import type { Environment } from '../environment.js';

/**
 * How the process of a role takes memory. Environment variables are the only way to say it, before a process begins.
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

/** The environment for the process of a role. What is set already counts: of an option that is given twice V8 takes the last. */
export function withRoleMemory(environment: Environment): Environment {
  const options = [roleMemory.NODE_OPTIONS, environment['NODE_OPTIONS'] ?? ''].join(' ').trim();
  return { ...roleMemory, ...environment, NODE_OPTIONS: options };
}
