import { expect } from 'chai';

import { createFailedKeyLimit } from '../../../api/authentication/apiKeyLookup.js';

describe('the limit of unknown API keys', () => {
  let now: number;
  let attempts: ReturnType<typeof createFailedKeyLimit>;
  beforeEach(() => {
    now = 0;
    attempts = createFailedKeyLimit(() => now);
    for (let count = 0; count < 100; count += 1) {
      attempts.attempt('192.0.2.1');
    }
  });

  it('allows 100 failures of a network in ten seconds, and states when it allows more', () => {
    now = 4000;
    expect(attempts.attempt('192.0.2.1')).to.equal(6);
  });

  it('allows failures again after ten seconds', () => {
    now = 10_000;
    expect(attempts.attempt('192.0.2.1')).to.equal(null);
  });

  it('counts each network separately', () => {
    expect(attempts.attempt('192.0.2.2')).to.equal(null);
  });

  it('does not count attempts that were forgiven', () => {
    attempts.forgive('192.0.2.1');
    expect(attempts.attempt('192.0.2.1')).to.equal(null);
  });
});
