/** Random numbers that follow from a seed alone, so that a schedule can be repeated. */
export interface SeededRandom {
  /** In [0, 1). */
  readonly next: () => number;
  /** A whole number in [0, count). */
  readonly below: (count: number) => number;
}

/** The generator mulberry32. */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    const more = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((more ^ (more >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, below: (count) => Math.floor(next() * count) };
}
