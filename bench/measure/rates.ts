import type { Series } from '../results/result.js';

/** More points are not visible in a chart. */
const mostPoints = 120;

/**
 * The rate of occurrences per second over time.
 * @param times of the occurrences in any order, in milliseconds; NaN values are ignored
 * @param beganAt the start of the series, in milliseconds
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

/** The longest time between two consecutive occurrences, in milliseconds. */
export function longestGapMs(times: Iterable<number>): number {
  const sorted = Float64Array.from([...times].filter((time) => !Number.isNaN(time))).sort();
  return sorted.reduce((longest, time, index) => Math.max(longest, time - (sorted[index - 1] ?? time)), 0);
}
