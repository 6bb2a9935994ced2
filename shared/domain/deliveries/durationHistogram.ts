/**
 * How many durations fell into each of 249 classes, by the number of the class. The classes are the same for all histograms, so
 * that any two can be merged by adding up.
 *
 * Each class is 2^(1/8) (9 %) wider than the one before: a percentile is at most 4.5 % off, whatever the durations are.
 * The first has all up to 1 ms, the last the longest that a timeout may be: 2^31 ms, nearly 25 days.
 */
export type DurationHistogram = Readonly<Record<string, number>>;

const classesPerDoubling = 8;
const lastClass = 248;

/** The number of the class of a duration in milliseconds. */
function classOf(durationMs: number): number {
  const number = Math.ceil(classesPerDoubling * Math.log2(Math.max(durationMs, 1)));
  return Math.min(number, lastClass);
}

/** In the middle of its class, as ratios go. */
function durationOf(classNumber: number): number {
  return 2 ** ((classNumber - 0.5) / classesPerDoubling);
}

export function withDuration(histogram: DurationHistogram, durationMs: number): DurationHistogram {
  const name = String(classOf(durationMs));
  return { ...histogram, [name]: (histogram[name] ?? 0) + 1 };
}

/**
 * The duration in milliseconds, rounded to a tenth, that this share of all does not exceed (nearest rank). Null where there
 * are none.
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
