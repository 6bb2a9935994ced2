import { getRandomValues } from 'node:crypto';

const pooledNumbers = 1024;
const range = 2 ** 32;

/**
 * Random numbers in [0, 1) from the system. They are drawn by the thousand, because one system call for each id would
 * be its main cost.
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
