import { apiMutations } from './api.js';
import { consumerMutations } from './consumers.js';
import { dashboardMutations } from './dashboard.js';
import type { Mutation } from './mutation.js';
import { postedEventMutations } from './postedEvents.js';
import { projectionMutations } from './projections.js';
import { sharedMutations } from './shared.js';

/** Mutations that only a test with real servers notices. Stryker makes all others. */
export const mutations: readonly Mutation[] = [
  ...apiMutations,
  ...consumerMutations,
  ...dashboardMutations,
  ...postedEventMutations,
  ...projectionMutations,
  ...sharedMutations,
];
