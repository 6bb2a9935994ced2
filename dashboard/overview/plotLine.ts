/** The values of one color in a plot. */
export interface PlotLine {
  readonly label: string;
  /** The custom property of the color. */
  readonly color: string;
  readonly values: readonly (number | null)[];
  readonly isBar?: boolean;
}
