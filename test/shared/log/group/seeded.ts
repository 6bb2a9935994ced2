/** Random numbers from 0 to 1 that are the same on every run (Marsaglia's xorshift on 32 bits). */
export function createSeeded(seed: number): () => number {
  let state = seed === 0 ? 1 : seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
