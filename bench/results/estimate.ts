/** The median of a figure, with the interval that contains the true median with a probability of 99 %. */
export interface Estimate {
  readonly median: number;
  /** Null if there are too few values for an interval. */
  readonly interval: Interval | null;
  readonly count: number;
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** With fewer values, even the interval from the smallest to the largest value has a lower confidence: 1 − 2 × 0.5⁸ is 99.2 %. */
const fewestValues = 8;
const confidence = 0.99;
const resamples = 2000;
/** Fixed, so that the same values always give the same interval. */
const seed = 29;

/**
 * Bootstraps in two levels, as the values are grouped: it draws groups, and then values of each drawn group. Values of one start of the
 * processes resemble each other, so they count for less than the same number of values of several starts.
 * @param groups the values by start of the measured processes
 * @returns null if there are no values
 */
export function estimate(groups: readonly (readonly number[])[]): Estimate | null {
  const filled = groups.filter((group) => group.length > 0);
  const values = filled.flat();
  const middle = median(values);
  return middle === null
    ? null
    : {
        median: middle,
        interval: values.length < fewestValues ? null : bootstrapInterval(filled),
        count: values.length,
      };
}

/** The middle value, or the mean of the middle two; null if there are none. */
export function median(values: readonly number[]): number | null {
  return values.length === 0 ? null : medianOfSorted(Float64Array.from(values).sort());
}

/** The percentile interval (Efron and Tibshirani, 1993, chapter 13) of the median. */
function bootstrapInterval(groups: readonly (readonly number[])[]): Interval {
  const random = createSeededRandom(seed);
  const medians = Float64Array.from({ length: resamples }, () =>
    medianOfSorted(Float64Array.from(resample(groups, random)).sort()),
  ).sort();
  const tail = Math.floor(((1 - confidence) / 2) * resamples);
  return { low: medians[tail] ?? NaN, high: medians[resamples - 1 - tail] ?? NaN };
}

function resample(groups: readonly (readonly number[])[], random: () => number): readonly number[] {
  return draw(groups, random).flatMap((group) => draw(group, random));
}

/** As many items as there are, each drawn from all of them. */
function draw<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  return Array.from(items, () => items[Math.floor(random() * items.length)]).filter(
    (item) => item !== undefined,
  );
}

function medianOfSorted(sorted: Float64Array): number {
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? NaN;
  const upper = sorted[Math.floor(sorted.length / 2)] ?? NaN;
  return (lower + upper) / 2;
}

/** Numbers in [0, 1) that follow from the seed: the generator mulberry32. */
function createSeededRandom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
