import type { PipelineName } from '../pipelines/pipeline.js';
import type { Figure, Result } from './result.js';

/** A figure of a scenario, side by side: of each pipeline the median of its runs, null where it has none. */
export interface SummaryRow {
  readonly name: string;
  readonly unit: Figure['unit'];
  readonly bare: number | null;
  readonly service: number | null;
  /** The service's figure by that of the bare pipeline, where that is not zero. */
  readonly ratio: number | null;
}

export interface ScenarioSummary {
  readonly scenario: string;
  readonly rows: readonly SummaryRow[];
}

/** Scenarios and figures come in the order in which they were measured first. */
export function summarize(results: readonly Result[]): readonly ScenarioSummary[] {
  const scenarios = [...new Set(results.map(({ scenario }) => scenario))];
  return scenarios.map((scenario) => ({
    scenario,
    rows: rowsOf(results.filter((result) => result.scenario === scenario)),
  }));
}

function rowsOf(results: readonly Result[]): readonly SummaryRow[] {
  const units = new Map(results.flatMap(({ figures }) => figures.map(({ name, unit }) => [name, unit])));
  return [...units].map(([name, unit]) => {
    const bare = medianOf(results, 'bare', name);
    const service = medianOf(results, 'service', name);
    return { name, unit, bare, service, ratio: ratioOf(service, bare) };
  });
}

function ratioOf(service: number | null, bare: number | null): number | null {
  return service === null || bare === null || bare === 0 ? null : service / bare;
}

function medianOf(results: readonly Result[], pipeline: PipelineName, name: string): number | null {
  const figures = results
    .filter((result) => result.pipeline === pipeline)
    .flatMap((result) => result.figures);
  return median(figures.filter((figure) => figure.name === name).map(({ value }) => value));
}

/** The middle one, or the mean of the middle two; null where there are none. */
export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((left, right) => left - right);
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  const upper = sorted[Math.floor(sorted.length / 2)];
  return lower === undefined || upper === undefined ? null : (lower + upper) / 2;
}
