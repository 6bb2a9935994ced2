import type { Environment } from '../environment/environment.js';
import { heapGrowthOption } from '../roles/heapGrowth.js';

/**
 * The memory settings of a role's process that environment variables can express. They are the same for each role and
 * for the process of all roles, because one image runs them all.
 *
 * `MALLOC_…`: the size in bytes from which glibc maps each block separately and returns it at once. By default glibc
 * raises this size (mallopt(3), "M_MMAP_THRESHOLD") and takes larger blocks from its heap. Small blocks between them
 * then keep the freed memory. Node reads sockets into blocks of 64 KiB, so the size is half of that. With glibc's
 * initial 128 KiB, three roles kept 20 MB more after a load. The CPU time was the same.
 *
 * `--max-semi-space-size`, in MiB: the largest size of each half of V8's young generation. V8's default depends on the
 * memory of the machine: 64 with 16 GiB or more. Delivery then takes 100 MB more under load, and 1% less CPU time. With
 * 4, the API takes 5% more CPU time (docs/operations.md, "Memory under load, and after it").
 */
export const roleMemory = {
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_TRIM_THRESHOLD_: '131072',
  NODE_OPTIONS: '--max-semi-space-size=8',
} as const;

/**
 * The memory settings that only command-line options of `node` can express, because Node rejects this one in
 * environment variables.
 */
export const roleOptions = [heapGrowthOption] as const;

/** The environment for a process. Existing settings win, because V8 takes the last value of a repeated option. */
export function withRoleMemory(environment: Environment): Environment {
  const options = [roleMemory.NODE_OPTIONS, environment['NODE_OPTIONS'] ?? ''].join(' ').trim();
  return { ...roleMemory, ...environment, NODE_OPTIONS: options };
}
