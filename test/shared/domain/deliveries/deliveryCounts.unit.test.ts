import { expect } from 'chai';

import {
  mergedCounts,
  nothingCounted,
  withAttempt,
  withEvent,
  type DeliveryCounts,
} from '../../../../shared/domain/deliveries/deliveryCounts.js';

const success = { outcome: 'succeeded', statusCode: 200, durationMs: 1 } as const;
const failure = { outcome: 'failed', statusCode: null, durationMs: 1000 } as const;

describe('Counts of deliveries', () => {
  it('include events', () => {
    expect(withEvent(withEvent(nothingCounted)).events).to.equal(2);
  });

  it('include attempts by outcome and status code', () => {
    const counts = [success, failure, success].reduce<DeliveryCounts>(withAttempt, nothingCounted);

    expect(counts).to.deep.include({
      events: 0,
      succeeded: 2,
      failed: 1,
      statusCodes: { '200': 2, none: 1 },
    });
  });

  it('include the duration of each attempt', () => {
    expect(withAttempt(withAttempt(nothingCounted, success), failure).durations).to.deep.equal({
      '0': 1,
      '80': 1,
    });
  });

  it('of two times are the sum of both', () => {
    const one = withEvent(withAttempt(nothingCounted, success));
    const other = withEvent(withAttempt(withAttempt(nothingCounted, failure), success));

    expect(mergedCounts(one, other)).to.deep.equal(
      withEvent(withAttempt(withAttempt(one, failure), success)),
    );
  });
});
