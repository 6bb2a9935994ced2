import { expect } from 'chai';

import { clockFinding } from '../../../../cli/developer/doctor/checks.js';

describe('postrider doctor', () => {
  it('compares the clock of this machine with that of the service', () => {
    const now = new Date('2026-11-21T06:46:41.000Z');
    const found = [0, 29_000, 31_000, -301_000].map((aheadMs) => {
      const { status, message } = clockFinding(new Date(now.getTime() - aheadMs), now);
      return [status, message.includes('reject')];
    });
    expect(found).to.deep.equal([
      ['ok', false],
      ['ok', false],
      ['failed', false],
      ['failed', true],
    ]);
    expect(clockFinding(null, now).status).to.equal('skipped');
  });
});
