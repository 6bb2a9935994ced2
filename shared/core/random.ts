import { getRandomValues } from 'node:crypto';

const pooledNumbers = 1024;
const range = 2 ** 32;

/** Numbers in [0, 1) from the system's source of randomness, drawn by the thousand: one call an id would be its main cost. */
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
