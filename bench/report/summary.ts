import type { PipelineName } from '../pipelines/pipeline.js';
import type { Figure, Result } from './result.js';
import { spreadOf, type Spread } from './spread.js';

/** A figure of a scenario, side by side: what the runs of each pipeline have shown, null where it was not measured. */
export interface SummaryRow {
  readonly name: string;
  readonly unit: Figure['unit'];
  readonly bare: Spread | null;
  readonly service: Spread | null;
  /** The service's median by that of the bare pipeline, where that is not zero. */
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
    const bare = spreadOf(valuesOf(results, 'bare', name));
    const service = spreadOf(valuesOf(results, 'service', name));
    return { name, unit, bare, service, ratio: ratioOf(service, bare) };
  });
}

function ratioOf(service: Spread | null, bare: Spread | null): number | null {
  return service === null || bare === null || bare.median === 0 ? null : service.median / bare.median;
}

function valuesOf(results: readonly Result[], pipeline: PipelineName, name: string): readonly number[] {
  const figures = results
    .filter((result) => result.pipeline === pipeline)
    .flatMap((result) => result.figures);
  return figures.filter((figure) => figure.name === name).map(({ value }) => value);
}
