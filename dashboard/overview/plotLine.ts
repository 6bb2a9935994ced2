/** What one colour of a plot shows. */
export interface PlotLine {
  readonly label: string;
  /** The custom property that has its colour. */
  readonly color: string;
  readonly values: readonly (number | null)[];
  readonly isBar?: boolean;
}
