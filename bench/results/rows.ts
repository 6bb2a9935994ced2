import type { Target } from './targets.js';

/** A figure of a scenario, which is a row of the table. */
export interface Row {
  /** The name of its values in the samples. */
  readonly figure: string;
  readonly unit: '/s' | 'ms' | 's' | 'MB' | '×' | '% of a core' | 'events';
  /** None by default. */
  readonly targets?: readonly Target[];
}

/** The part of a scenario that the table shows next to its results. */
export interface ScenarioRows {
  readonly name: string;
  readonly rows: readonly Row[];
}
