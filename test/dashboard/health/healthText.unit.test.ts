import { expect } from 'chai';

import {
  areCountsOld,
  failureText,
  isTroubled,
  possiblyProcessed,
} from '../../../dashboard/health/healthText.js';
import { healthOf } from '../support/health.js';

const noTimes = { firstAt: null, lastAt: null };

describe('the health of a webhook in the dashboard', () => {
  it('is trouble if a delivery is failed, canceled or being retried, or the last attempt failed', () => {
    const troubled = [{ failed: 1 }, { canceled: 1 }, { retrying: 1 }, { state: 'failing' as const }];
    expect(troubled.map((changed) => isTroubled(healthOf(changed)))).to.deep.equal([true, true, true, true]);
    expect(isTroubled(healthOf({ pending: 5, oldestOpenEventAt: '2026-11-21T11:59:59.000Z' }))).to.equal(
      false,
    );
  });

  it('is trouble if a delivery waits for its first attempt for more than a minute', () => {
    const waiting = { pending: 1, oldestOpenEventAt: '2026-11-21T11:58:00.000Z' };
    expect(isTroubled(healthOf(waiting))).to.equal(true);
  });

  it('names the status of a response, or the reason without a response', () => {
    expect(failureText({ code: 'http_status', statusCode: 503 })).to.equal('Status 503');
    expect(failureText({ code: 'timeout', statusCode: null })).to.equal('No response within the time limit');
  });

  it('counts timeouts as deliveries that the receiver may have processed', () => {
    const failures = [
      { code: 'timeout' as const, statusCode: null, count: 3, ...noTimes },
      { code: 'response_invalid' as const, statusCode: null, count: 1, ...noTimes },
      { code: 'connection_failed' as const, statusCode: null, count: 10, ...noTimes },
      { code: 'http_status' as const, statusCode: 500, count: 40, ...noTimes },
    ];
    expect(possiblyProcessed(failures)).to.equal(4);
  });

  it('is shown with its time if it is more than ten seconds old by the clock of the service', () => {
    const asOf = '2026-11-21T12:00:00.000Z';
    const ages = [10_000, 10_001].map((age) => areCountsOld(asOf, Date.parse(asOf) + age));
    expect(ages).to.deep.equal([false, true]);
  });
});
