const steps = [1, 2, 5, 10];
/** Less than this is nothing on any plot. */
const smallest = 1e-9;

/** An axis from zero to a round number, with a few round numbers between. */
export interface Scale {
  readonly end: number;
  readonly ticks: readonly number[];
  /** Where a value is, as a share of the axis. */
  readonly at: (value: number) => number;
}

/**
 * @param most the greatest value that has to fit
 * @param intervals about how many parts it is to have
 */
export function scaleTo(most: number, intervals = 5): Scale {
  const needed = most > smallest ? most : 1;
  const rough = needed / intervals;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = (steps.find((candidate) => candidate * magnitude >= rough) ?? 10) * magnitude;
  const count = Math.max(1, Math.ceil(needed / step));
  const end = step * count;
  return {
    end,
    ticks: Array.from({ length: count + 1 }, (_, index) => index * step),
    at: (value) => value / end,
  };
}
