/** The values of one color in a plot. */
export interface PlotLine {
  readonly label: string;
  /** The name of the CSS custom property with the color. */
  readonly color: string;
  readonly values: readonly (number | null)[];
  readonly isBar?: boolean;
}

/** The indexes of the values without a value before and after them. A line connects only neighboring values. */
export function isolatedIndexes(values: ArrayLike<number | null | undefined>): number[] {
  const isMissing = (index: number) => (values[index] ?? null) === null;
  return Array.from({ length: values.length }, (_, index) => index).filter(
    (index) => !isMissing(index) && isMissing(index - 1) && isMissing(index + 1),
  );
}
