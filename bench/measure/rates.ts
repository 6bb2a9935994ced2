import type { Series } from '../report/result.js';

/** More points than this nobody sees on a plot. */
const mostPoints = 120;

/**
 * How many things happened each second.
 * @param times when each did, in any order, in milliseconds; NaN for what never did
 * @param beganAt the zero of the series, in milliseconds
 */
export function ratesOf(name: string, times: Iterable<number>, beganAt: number): Series {
  const seconds = [...times].filter((time) => !Number.isNaN(time)).map((time) => (time - beganAt) / 1000);
  const last = seconds.reduce((latest, second) => Math.max(latest, second), 0);
  const step = Math.max(1, Math.ceil(last / mostPoints));
  const counts = new Array<number>(Math.floor(last / step) + 1).fill(0);
  for (const second of seconds) {
    const index = Math.max(0, Math.floor(second / step));
    counts[index] = (counts[index] ?? 0) + 1;
  }
  return { name, unit: '/s', points: counts.map((count, index) => [index * step, count / step] as const) };
}

/** The longest time, in milliseconds, in which nothing happened between the first and the last of these. */
export function longestGapMs(times: Iterable<number>): number {
  const sorted = Float64Array.from([...times].filter((time) => !Number.isNaN(time))).sort();
  return sorted.reduce((longest, time, index) => Math.max(longest, time - (sorted[index - 1] ?? time)), 0);
}
