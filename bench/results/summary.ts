import type { Figure, Result } from './result.js';
import { spreadOf, type Spread } from './spread.js';

/** A figure of a scenario, for both pipelines; null if it was not measured. */
export interface SummaryRow {
  readonly name: string;
  readonly unit: Figure['unit'];
  readonly bare: Spread | null;
  readonly service: Spread | null;
  /** The service's median divided by that of the bare pipeline; null if that is zero. */
  readonly ratio: number | null;
}

export interface ScenarioSummary {
  readonly scenario: string;
  readonly rows: readonly SummaryRow[];
}

/** Scenarios and figures are in the order of their first measurement. */
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

function valuesOf(results: readonly Result[], pipeline: Result['pipeline'], name: string): readonly number[] {
  const figures = results
    .filter((result) => result.pipeline === pipeline)
    .flatMap((result) => result.figures);
  return figures.filter((figure) => figure.name === name).map(({ value }) => value);
}
