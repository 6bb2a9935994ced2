import { backlog } from './backlog.js';
import { batches } from './batches.js';
import { cold } from './cold.js';
import { costs } from './costs.js';
import { disk } from './disk.js';
import { dryRun } from './dryRun.js';
import { filters } from './filters.js';
import { health } from './health.js';
import { hostileData, hostileSchemas } from './hostile.js';
import { hungMany } from './hungMany.js';
import { hungNeighbor, hungTwenty, hungTwentyBusy } from './hungNeighbor.js';
import { idle } from './idle.js';
import { kill } from './kill.js';
import { lists } from './lists.js';
import { pending } from './pending.js';
import { rebuild } from './rebuild.js';
import { scale, scaleWaiting } from './scale.js';
import type { Scenario } from './scenario.js';
import { schema } from './schema.js';
import { search } from './search.js';
import { slowLists } from './slowLists.js';
import { slowReaders } from './slowReaders.js';
import { steady, steady500 } from './steady.js';
import { tenants } from './tenants.js';
import { five, throughput } from './throughput.js';

/** In the order of the runs. */
export const scenarios: readonly Scenario[] = [
  throughput,
  batches,
  five,
  steady,
  steady500,
  cold,
  costs,
  schema,
  filters,
  hungNeighbor,
  hungTwenty,
  hungTwentyBusy,
  hungMany,
  kill,
  idle,
  scale,
  scaleWaiting,
  lists,
  slowReaders,
  slowLists,
  hostileSchemas,
  hostileData,
  search,
  dryRun,
  health,
  pending,
  tenants,
  rebuild,
  disk,
  backlog,
];

/** The scenarios of a quick run. They cover all parts of the benchmark and can share a pipeline. */
const quickScenarios: ReadonlySet<Scenario> = new Set([throughput, steady, kill, idle, lists]);

/** Whether a run measures a scenario that its options do not name. The scenario `tenants` alone takes an hour. */
export function isOrdinary(scenario: Scenario, { quick }: { readonly quick: boolean }): boolean {
  return quick ? quickScenarios.has(scenario) : scenario !== tenants;
}
