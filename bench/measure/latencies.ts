import { build } from 'hdr-histogram-js';

export interface LatencySummary {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

const microsecondsPerMs = 1000;

/**
 * @param latenciesMs at least one; a negative one counts as zero
 * @returns percentiles in milliseconds, exact to three digits
 */
export function summarizeLatencies(latenciesMs: Iterable<number>): LatencySummary {
  const histogram = build({ numberOfSignificantValueDigits: 3, bitBucketSize: 32, autoResize: true });
  for (const latency of latenciesMs) {
    histogram.recordValue(Math.max(0, Math.round(latency * microsecondsPerMs)));
  }
  const at = (percentile: number) => histogram.getValueAtPercentile(percentile) / microsecondsPerMs;
  return { p50: at(50), p95: at(95), p99: at(99) };
}
