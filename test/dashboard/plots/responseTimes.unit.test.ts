import { expect } from 'chai';

import { responseTimeText, unansweredText } from '../../../dashboard/plots/responseTimes.js';

function bucketOf(succeeded: number, unanswered: number) {
  return {
    start: '2026-11-21T14:00:00.000Z',
    events: succeeded,
    succeeded,
    failed: unanswered,
    ...{ p50Ms: 20, p95Ms: 14_336, p99Ms: 14_336 },
    byStatusCode: { 200: succeeded, none: unanswered },
  };
}

describe('a percentile of the response times in the dashboard', () => {
  it('is no duration if the receiver did not respond to the attempt at the percentile', () => {
    const bucket = bucketOf(90, 10);
    expect(responseTimeText(bucket, 'p95Ms')).to.equal('no response');
    expect(responseTimeText(bucket, 'p50Ms')).to.equal('20 ms');
    expect(unansweredText(bucket)).to.equal('10 % of attempts got no response');
  });

  it('is a duration if the receiver responded to the attempt at the percentile', () => {
    const bucket = bucketOf(96, 4);
    expect(responseTimeText(bucket, 'p95Ms')).to.equal('14 s');
    expect(responseTimeText(bucket, 'p99Ms')).to.equal('no response');
    expect(responseTimeText(null, 'p95Ms')).to.equal('–');
  });
});
