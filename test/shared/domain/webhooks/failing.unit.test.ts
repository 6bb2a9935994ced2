import { expect } from 'chai';

import { isFailing, type FailureHistory } from '../../../../shared/domain/webhooks/failing.js';
import { secondsLater, testIdentifier } from '../../../support/facts.js';

const failingAfterMs = 60_000;

interface Case extends Partial<FailureHistory> {
  readonly isExhausted?: boolean;
}

/** Whether a webhook is failing if an attempt fails these seconds after the first one. */
function isFailingAfter(
  seconds: number,
  { isExhausted = false, firstAt = secondsLater(0), events = 3 }: Case = {},
): boolean {
  const latest = { eventId: testIdentifier('evt'), at: secondsLater(seconds), isExhausted };
  return isFailing(latest, { firstAt, events }, failingAfterMs);
}

describe('isFailing', () => {
  it('is true if the first failure since the last success is long ago, and three events have failed', () => {
    expect(isFailingAfter(60)).to.equal(true);
  });

  it('is false a moment before, also if a schedule is exhausted', () => {
    expect([isFailingAfter(59.999), isFailingAfter(59.999, { isExhausted: true })]).to.deep.equal([
      false,
      false,
    ]);
  });

  it('is true with fewer events only if the schedule of the latest one is exhausted', () => {
    expect([
      isFailingAfter(600, { events: 2 }),
      isFailingAfter(600, { events: 1, isExhausted: true }),
    ]).to.deep.equal([false, true]);
  });

  it('is false if no earlier failure is known', () => {
    expect(isFailingAfter(600, { firstAt: null, isExhausted: true })).to.equal(false);
  });
});
