import { hungTenant } from './hungTenant.js';
import { hungMany } from './hungMany.js';
import { hungTwenty } from './hungTwenty.js';
import { idle } from './idle.js';
import { kill } from './kill.js';
import { lists } from './lists.js';
import { rebuild } from './rebuild.js';
import type { Scenario } from './scenario.js';
import { steady } from './steady.js';
import { tenants } from './tenants.js';
import { five, throughput } from './throughput.js';

/** In the order of the runs and of the table. */
export const scenarios: readonly Scenario[] = [
  throughput,
  five,
  steady,
  hungTwenty,
  hungTenant,
  hungMany,
  kill,
  rebuild,
  lists,
  tenants,
  idle,
];
