import type { Estimate } from '../results/estimate.js';
import { figureNames } from '../measure/figures.js';
import { noiseOf, noiseText } from '../results/noise.js';
import type { Report } from '../results/result.js';
import { summarize, type SummaryRow } from '../results/summary.js';
import { ratioText } from '../results/text.js';

/** The result of one comparison of the self-test. */
export interface TestedComparison {
  readonly name: string;
  /** The CPU time of an event, compared with the other instance. */
  readonly ratio: Estimate | null;
  /** The other instance's CPU time of an event, in milliseconds. */
  readonly costMs: number;
  readonly passed: boolean;
  readonly noise: string;
}

/** The largest distance of an end of the interval from the median, for CPU time. */
const largestHalfWidth = 0.05;

/** The interval of a comparison of the same code must contain 1 and be narrow. */
export function outcomeOfSame(name: string, report: Report): TestedComparison {
  return outcomeOf(name, report, ({ median, interval }) => {
    const { low, high } = interval ?? { low: -Infinity, high: Infinity };
    return low <= 1 && high >= 1 && Math.max(high - median, median - low) <= largestHalfWidth;
  });
}

/** If the other instance is slower, the whole interval must be below 1. */
export function outcomeOfSlower(name: string, report: Report): TestedComparison {
  return outcomeOf(name, report, ({ interval }) => interval !== null && interval.high < 1);
}

function outcomeOf(name: string, report: Report, passes: (ratio: Estimate) => boolean): TestedComparison {
  const row = costRowOf(report);
  const ratio = row?.ratio ?? null;
  const noise = noiseOf(report.results);
  return {
    name,
    ratio,
    costMs: row?.reference?.median ?? NaN,
    passed: ratio !== null && passes(ratio),
    noise: noise === null ? report.failures.map(({ reason }) => reason).join('; ') : noiseText(noise),
  };
}

function costRowOf({ results }: Report): SummaryRow | undefined {
  return summarize(results)
    .flatMap(({ rows }) => rows)
    .find(({ name }) => name === figureNames.processorTime);
}

export function outcomeText({ name, ratio, passed, noise }: TestedComparison): string {
  return `${passed ? 'passed' : 'FAILED'}: ${name}. CPU time of an event × ${ratioText(ratio)}. ${noise}`;
}
