import type { Plan, PlanTerms } from './account.js';

/** The rate limit of each plan, in requests per second and mode. An Enterprise account may have its own rate limit. */
const planRequestsPerSecond: Readonly<Record<Plan, number>> = { free: 10, pro: 100, enterprise: 1000 };

/** The rate limit of an account after a change of its plan. An Enterprise account retains its agreed rate limit. */
export function termsOf(plan: Plan, agreed: number | null, before: PlanTerms | null = null): PlanTerms {
  const kept = plan === 'enterprise' && before?.plan === 'enterprise' ? before.requestsPerSecond : null;
  return { plan, requestsPerSecond: agreed ?? kept ?? planRequestsPerSecond[plan] };
}
