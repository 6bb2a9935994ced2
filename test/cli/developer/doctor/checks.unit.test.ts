import { expect } from 'chai';

import { RejectedError } from '../../../../cli/developer/api/failures.js';
import { checkService, clockFinding } from '../../../../cli/developer/doctor/checks.js';

const connection = {
  url: { value: 'http://127.0.0.1:3000', origin: 'the default' },
  apiKey: { value: 'sk_test_1', origin: '--api-key' },
};

/** The first finding that is not ok, if the service rejects the request. */
async function faultAfter(status: number, code: string) {
  const rejection = new RejectedError('A message.', { status, code, retryAfterMs: null });
  const findings = await checkService({ connection, open: () => Promise.reject(rejection) });
  return findings.find((finding) => finding.status === 'failed')?.check;
}

describe('postrider doctor', () => {
  it('blames the key only if the service rejects the key', async () => {
    const found = [
      await faultAfter(401, 'api_key_invalid'),
      await faultAfter(403, 'resource_forbidden'),
      await faultAfter(429, 'rate_limit_exceeded'),
      await faultAfter(503, 'service_unavailable'),
    ];
    expect(found).to.deep.equal(['key', 'key', 'address', 'address']);
  });

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
