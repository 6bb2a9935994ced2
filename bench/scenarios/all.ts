import { hungNeighbour } from './hungNeighbour.js';
import { lists } from './lists.js';
import { rebuild } from './rebuild.js';
import type { Scenario } from './scenario.js';
import { steady } from './steady.js';
import { throughput } from './throughput.js';

/** In the order in which they are run. */
export const scenarios: readonly Scenario[] = [throughput, steady, hungNeighbour, lists, rebuild];
