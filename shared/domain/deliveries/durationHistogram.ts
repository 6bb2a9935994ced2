/**
 * The number of durations in each of 249 classes, by the number of the class. All histograms have the same classes, so
 * that any two can be added up. Each class is 2^(1/8) (9 %) wider than the one before, so a percentile is at most 4.5 %
 * off. The first class contains all durations up to 1 ms. The last contains the longest timeout, 2^31 ms or nearly 25
 * days.
 */
export type DurationHistogram = Readonly<Record<string, number>>;

const classesPerDoubling = 8;
const lastClass = 248;

/** The number of the class of a duration in milliseconds. */
function classOf(durationMs: number): number {
  const number = Math.ceil(classesPerDoubling * Math.log2(Math.max(durationMs, 1)));
  return Math.min(number, lastClass);
}

/** The geometric middle of its class. */
function durationOf(classNumber: number): number {
  return 2 ** ((classNumber - 0.5) / classesPerDoubling);
}

export function withDuration(histogram: DurationHistogram, durationMs: number): DurationHistogram {
  const name = String(classOf(durationMs));
  return { ...histogram, [name]: (histogram[name] ?? 0) + 1 };
}

/**
 * The duration in milliseconds, rounded to a tenth, that this share of all durations does not exceed (nearest rank).
 * Null if there are none.
 * @param share from 0 to 1
 */
export function percentile(histogram: DurationHistogram, share: number): number | null {
  const classes = Object.entries(histogram)
    .map(([name, count]) => [Number(name), count] as const)
    .sort(([left], [right]) => left - right);
  const total = classes.reduce((sum, [, count]) => sum + count, 0);
  const rank = Math.max(1, Math.ceil(share * total));
  let passed = 0;
  for (const [classNumber, count] of classes) {
    passed += count;
    if (passed >= rank) {
      return Math.round(durationOf(classNumber) * 10) / 10;
    }
  }
  return null;
}
