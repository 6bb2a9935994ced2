import { estimate, type Estimate } from './estimate.js';
import type { Block } from './report.js';

/** A figure of the service, of the pipeline that it is compared with, and the ratio. Null if it was not measured. */
export interface Summary {
  readonly service: Estimate | null;
  readonly reference: Estimate | null;
  /** Of the service's value divided by the reference's, by pair of blocks. Pairs without a positive reference are ignored. */
  readonly ratio: Estimate | null;
}

interface Value {
  readonly start: number;
  /** The values of both pipelines with the same place are compared. */
  readonly place: string;
  readonly value: number;
}

/** @param blocks of one scenario */
export function summarize(blocks: readonly Block[], figure: string): Summary {
  const service = valuesOf(
    blocks.filter(({ pipeline }) => pipeline === 'service'),
    figure,
  );
  const reference = valuesOf(
    blocks.filter(({ pipeline }) => pipeline !== 'service'),
    figure,
  );
  return {
    service: estimateByStart(service),
    reference: estimateByStart(reference),
    ratio: estimateByStart(ratiosOf(service, reference)),
  };
}

function valuesOf(blocks: readonly Block[], figure: string): readonly Value[] {
  return blocks.flatMap(({ start, pair, samples }) =>
    samples.flatMap(({ [figure]: value }, index) =>
      value === undefined ? [] : [{ start, place: `${pair}/${index}`, value }],
    ),
  );
}

function ratiosOf(values: readonly Value[], references: readonly Value[]): readonly Value[] {
  const referenceAt = new Map(references.map(({ place, value }) => [place, value]));
  return values.flatMap(({ start, place, value }) => {
    const reference = referenceAt.get(place) ?? 0;
    return reference > 0 ? [{ start, place, value: value / reference }] : [];
  });
}

function estimateByStart(values: readonly Value[]): Estimate | null {
  const starts = [...new Set(values.map(({ start }) => start))];
  return estimate(
    starts.map((start) => values.filter((one) => one.start === start).map(({ value }) => value)),
  );
}
