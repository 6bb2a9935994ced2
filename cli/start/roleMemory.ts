import type { Environment } from '../environment/environment.js';
import type { ProcessName } from '../roles/runRole.js';

/**
 * The memory settings of a role's process that environment variables can express.
 *
 * `MALLOC_…`: the size in bytes from which glibc maps each block separately and returns it at once. The setting is
 * glibc's initial value. By default glibc raises the value (mallopt(3), "M_MMAP_THRESHOLD") and takes larger blocks
 * from its heap. Small blocks between larger blocks then keep freed memory. After a load, this fragmentation of the
 * heap cost three roles 50 MB.
 *
 * `--max-semi-space-size`, in MiB: the largest size of each half of V8's young generation. The objects of an event die
 * with its attempt, so a garbage collection costs time only for events in flight. V8's default for each half is 16 MiB.
 * Four times the default size means a quarter of the collections, and 8% less CPU time for each event. The larger young
 * generation costs about 90 MB per role under load. An idle role returns these 90 MB (docs/operations.md, "Memory under
 * load, and after it").
 */
export const roleMemory = {
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
  NODE_OPTIONS: '--max-semi-space-size=64',
} as const;

/**
 * The memory settings that only command-line options of `node` can express, because Node rejects
 * `--heap-growing-percent` in environment variables.
 *
 * `--heap-growing-percent`: by how much V8's old generation grows before a full collection. By default V8 adapts the
 * growth to the allocation rate. At a hundred events per second a heap of 32 MB may by default grow by only 5 MB. With
 * growth by 5 MB a role made up to 16 full collections a minute, of 9 ms each, and delayed events during each
 * collection. The setting lets a heap grow to three times its used size, which is less than V8 allows under load.
 */
export const roleOptions = ['--heap-growing-percent=200'] as const;

/**
 * The environment of a role's process, with the memory settings. Existing settings of the environment win, because V8
 * takes the last value of a repeated option. The process of all roles keeps V8's default young generation, because
 * small installations have little memory.
 */
export function withRoleMemory(name: ProcessName, environment: Environment): Environment {
  const { NODE_OPTIONS: largeYoungGeneration, ...allocator } = roleMemory;
  if (name === 'all') {
    return { ...allocator, ...environment };
  }
  const options = [largeYoungGeneration, environment['NODE_OPTIONS'] ?? ''].join(' ').trim();
  return { ...roleMemory, ...environment, NODE_OPTIONS: options };
}
