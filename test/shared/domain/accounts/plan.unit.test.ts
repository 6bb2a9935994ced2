import { expect } from 'chai';

import { type PlanTerms, termsOf } from '../../../../shared/domain/accounts/account.js';

const agreed: PlanTerms = { plan: 'enterprise', requestsPerSecond: 5000 };

describe('termsOf', () => {
  it('gives an account the requests a second of its plan', () => {
    const limits = (['free', 'pro', 'enterprise'] as const).map(
      (plan) => termsOf(plan, null).requestsPerSecond,
    );
    expect(limits).to.deep.equal([10, 100, 1000]);
  });

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
