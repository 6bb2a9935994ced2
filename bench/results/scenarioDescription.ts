import type { Target } from './targets.js';

/** The part of a scenario that a report shows next to its results. */
export interface ScenarioDescription {
  readonly name: string;
  /** One line for the help text and the page. */
  readonly description: string;
  /** The targets of its figures; none by default. */
  readonly targets?: readonly Target[];
  /** The figures that the page shows as a bar chart, all of one unit; none by default. */
  readonly plotted?: readonly string[];
}
