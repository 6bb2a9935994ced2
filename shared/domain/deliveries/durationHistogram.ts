/**
 * The number of durations in each of 249 classes, by the number of the class. All duration histograms have the same
 * classes, so any two can be added up. Each class is 2^(1/8) (9 %) wider than its predecessor, so the error of a
 * percentile is at most 4.5 %. The first class contains all durations up to 1 ms. The last class contains the longest
 * timeout, 2^31 ms (nearly 25 days).
 */
export type DurationHistogram = Readonly<Record<string, number>>;

const classesPerDoubling = 8;
const lastClass = 248;

/** The number of the histogram class of a duration in milliseconds. */
function classOf(durationMs: number): number {
  const number = Math.ceil(classesPerDoubling * Math.log2(Math.max(durationMs, 1)));
  return Math.min(number, lastClass);
}

/** The duration that stands for a histogram class: the geometric middle of the class, in milliseconds. */
function durationOf(classNumber: number): number {
  return 2 ** ((classNumber - 0.5) / classesPerDoubling);
}

export function withDuration(histogram: DurationHistogram, durationMs: number): DurationHistogram {
  const name = String(classOf(durationMs));
  return { ...histogram, [name]: (histogram[name] ?? 0) + 1 };
}

/**
 * The percentile of a histogram in milliseconds, rounded to a tenth (nearest-rank method). The percentile of an empty
 * histogram is null.
 * @param share the percentile as a fraction from 0 to 1
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
