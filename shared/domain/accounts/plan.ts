import type { Plan, PlanTerms } from './account.js';

/** Requests a second in each mode. An Enterprise account may have its own limit. */
const planRequestsPerSecond: Readonly<Record<Plan, number>> = { free: 10, pro: 100, enterprise: 1000 };

/** The limit of an account that changes to a plan. An account that is on Enterprise already keeps its agreed limit. */
export function termsOf(plan: Plan, agreed: number | null, before: PlanTerms | null = null): PlanTerms {
  const kept = plan === 'enterprise' && before?.plan === 'enterprise' ? before.requestsPerSecond : null;
  return { plan, requestsPerSecond: agreed ?? kept ?? planRequestsPerSecond[plan] };
}
