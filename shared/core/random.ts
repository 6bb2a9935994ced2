import { getRandomValues } from 'node:crypto';

const pooledNumbers = 1024;
const range = 2 ** 32;

/**
 * Random numbers in [0, 1) from the operating system. One system call draws a thousand numbers, because a call for each
 * number would be the main cost of a new id.
 */
export function createRandom(): () => number {
  const pool = new Uint32Array(pooledNumbers);
  let used = pool.length;
  return () => {
    if (used === pool.length) {
      getRandomValues(pool);
      used = 0;
    }
    const number = pool[used] ?? 0;
    used += 1;
    return number / range;
  };
}
