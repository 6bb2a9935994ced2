import { backlog } from './backlog.js';
import { cold } from './cold.js';
import { costs } from './costs.js';
import { disk } from './disk.js';
import { dryRun } from './dryRun.js';
import { hungMany } from './hungMany.js';
import { hungNeighbour } from './hungNeighbour.js';
import { idle } from './idle.js';
import { kill } from './kill.js';
import { lists } from './lists.js';
import { rebuild } from './rebuild.js';
import { scale, scaleWaiting } from './scale.js';
import type { Scenario } from './scenario.js';
import { slowLists } from './slowLists.js';
import { slowReaders } from './slowReaders.js';
import { steady, steady500 } from './steady.js';
import { five, throughput } from './throughput.js';

/** In the order of the runs. */
export const scenarios: readonly Scenario[] = [
  throughput,
  five,
  steady,
  steady500,
  cold,
  costs,
  hungNeighbour,
  hungMany,
  kill,
  idle,
  scale,
  scaleWaiting,
  lists,
  slowReaders,
  slowLists,
  dryRun,
  rebuild,
  disk,
  backlog,
];

/** The scenarios of a quick run. They cover all parts of the benchmark and can share a pipeline. */
const quickScenarios: ReadonlySet<Scenario> = new Set([throughput, steady, kill, idle, lists]);

export function isQuick(scenario: Scenario): boolean {
  return quickScenarios.has(scenario);
}
