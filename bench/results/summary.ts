import { estimate, type Estimate } from './estimate.js';
import type { Figure, Result } from './result.js';

/** A figure of a scenario: of the service, of the pipeline that it is compared with, and the ratio. Null if it was not measured. */
export interface SummaryRow {
  readonly name: string;
  readonly unit: Figure['unit'];
  readonly service: Estimate | null;
  readonly reference: Estimate | null;
  /** Of the service's value divided by the reference's, by pair of blocks. Pairs without a positive reference are ignored. */
  readonly ratio: Estimate | null;
}

export interface ScenarioSummary {
  readonly scenario: string;
  readonly rows: readonly SummaryRow[];
}

/** A figure's value in one block. */
interface BlockValue extends Pick<Result, 'start' | 'pair'> {
  readonly value: number;
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
  const service = results.filter(({ pipeline }) => pipeline === 'service');
  const reference = results.filter(({ pipeline }) => pipeline !== 'service');
  return [...units].map(([name, unit]) => {
    const values = valuesOf(service, name);
    const referenceValues = valuesOf(reference, name);
    return {
      name,
      unit,
      service: estimateByStart(values),
      reference: estimateByStart(referenceValues),
      ratio: estimateByStart(ratiosOf(values, referenceValues)),
    };
  });
}

function valuesOf(results: readonly Result[], figure: string): readonly BlockValue[] {
  return results.flatMap(({ start, pair, figures }) =>
    figures.filter(({ name }) => name === figure).map(({ value }) => ({ start, pair, value })),
  );
}

function ratiosOf(values: readonly BlockValue[], references: readonly BlockValue[]): readonly BlockValue[] {
  const referenceOf = new Map(references.map(({ pair, value }) => [pair, value]));
  return values.flatMap(({ start, pair, value }) => {
    const reference = referenceOf.get(pair) ?? 0;
    return reference > 0 ? [{ start, pair, value: value / reference }] : [];
  });
}

function estimateByStart(values: readonly BlockValue[]): Estimate | null {
  const starts = [...new Set(values.map(({ start }) => start))];
  return estimate(
    starts.map((start) => values.filter((one) => one.start === start).map(({ value }) => value)),
  );
}
