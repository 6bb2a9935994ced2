import type { Environment } from '../environment/environment.js';
import { heapGrowthOption, heapGrowthPercent } from '../roles/heapGrowth.js';
import type { ProcessName } from '../roles/runRole.js';

/**
 * The memory settings of a role's process. Only environment variables can express them, because glibc and V8 read them
 * at the start of the process.
 *
 * `MALLOC_…`: the size in bytes from which glibc maps each block separately and returns it at once. The setting is
 * glibc's initial value. By default glibc raises the value (mallopt(3), "M_MMAP_THRESHOLD") and takes larger blocks
 * from its heap. Small blocks between larger blocks then keep freed memory. After a load, this fragmentation of the
 * heap cost three roles 50 MB, with which the benchmark `idle` misses its 350 MB (it has 344 MB).
 *
 * `--max-semi-space-size`, in MiB: the largest size of each half of V8's young generation. The objects of an event die
 * with its attempt, so a garbage collection costs time only for events in flight. With 64 the roles take a third more
 * memory, which misses the same bar, and 2% less CPU time for each event. With 8 they take a third less memory, and 10% more CPU time
 * (docs/operations/configure.md, "Memory").
 */
export const roleMemory = {
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
  NODE_OPTIONS: '--max-semi-space-size=32',
} as const;

/**
 * The memory settings of the process of all roles. Small installations have little memory and few events. Node reads
 * sockets into blocks of 64 KiB, so glibc returns each of these blocks at once. At full load that would cost the API a
 * fifth more CPU time.
 */
export const allRolesMemory = {
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_TRIM_THRESHOLD_: '131072',
  NODE_OPTIONS: '--max-semi-space-size=8',
} as const;

/**
 * The options of `node` that each role sets for itself (cli/roles/heapGrowth.ts). A process that is compared with a role
 * needs them too.
 */
export const roleOptions = [heapGrowthOption(heapGrowthPercent.role)] as const;

/**
 * The environment of a role's process, with the memory settings. Existing settings of the environment win, because V8
 * takes the last value of a repeated option.
 */
export function withRoleMemory(name: ProcessName, environment: Environment): Environment {
  const memory = name === 'all' ? allRolesMemory : roleMemory;
  const options = [memory.NODE_OPTIONS, environment['NODE_OPTIONS'] ?? ''].join(' ').trim();
  return { ...memory, ...environment, NODE_OPTIONS: options };
}
