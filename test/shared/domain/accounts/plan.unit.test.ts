import { expect } from 'chai';

import type { Plan, PlanTerms } from '../../../../shared/domain/accounts/account.js';
import { termsOf } from '../../../../shared/domain/accounts/plan.js';

const agreed: PlanTerms = { plan: 'enterprise', requestsPerSecond: 5000 };

describe('termsOf', () => {
  const limits: readonly [plan: Plan, requestsPerSecond: number][] = [
    ['free', 10],
    ['pro', 100],
    ['enterprise', 1000],
  ];
  for (const [plan, requestsPerSecond] of limits) {
    it(`gives an account on ${plan} its ${requestsPerSecond} requests a second`, () => {
      expect(termsOf(plan, null)).to.deep.equal({ plan, requestsPerSecond });
    });
  }

  it('uses an agreed limit', () => {
    expect(termsOf('enterprise', 2500)).to.deep.equal({ plan: 'enterprise', requestsPerSecond: 2500 });
  });

  it('keeps the limit of an account that stays on Enterprise', () => {
    expect(termsOf('enterprise', null, agreed)).to.deep.equal(agreed);
  });

  it('drops the limit of an account that leaves Enterprise', () => {
    expect(termsOf('pro', null, agreed)).to.deep.equal({ plan: 'pro', requestsPerSecond: 100 });
  });
});
