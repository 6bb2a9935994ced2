/** The values of one figure in several runs. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
  readonly runs: number;
}

/** @returns null if there are no values */
export function spreadOf(values: readonly number[]): Spread | null {
  const middle = median(values);
  return middle === null
    ? null
    : { median: middle, least: Math.min(...values), most: Math.max(...values), runs: values.length };
}

/** The middle value, or the mean of the middle two; null if there are none. */
export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((left, right) => left - right);
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  const upper = sorted[Math.floor(sorted.length / 2)];
  return lower === undefined || upper === undefined ? null : (lower + upper) / 2;
}
