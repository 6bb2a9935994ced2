/** The values of one color in a plot. */
export interface PlotLine {
  readonly label: string;
  /** The name of the CSS custom property with the color. */
  readonly color: string;
  readonly values: readonly (number | null)[];
  readonly isBar?: boolean;
}
