import { expect } from 'chai';

import { isFailing, type Failure, type FailureHistory } from '../../../../shared/domain/webhooks/failing.js';
import { secondsLater, testIdentifier } from '../../../support/facts.js';

const failingAfterMs = 60_000;

function failureAt(seconds: number): Failure {
  return { eventId: testIdentifier('evt'), at: secondsLater(seconds) };
}

function isFailingAfter(seconds: number, history: Partial<FailureHistory> = {}): boolean {
  const known = { first: failureAt(0), othersFailed: true, ...history };
  return isFailing(failureAt(seconds), known, failingAfterMs);
}

describe('isFailing', () => {
  it('is true if the first failure since the last success is long ago', () => {
    expect(isFailingAfter(60)).to.equal(true);
  });

  it('is false a moment before', () => {
    expect(isFailingAfter(59.999)).to.equal(false);
  });

  it('is false if one event alone has failed, however often', () => {
    expect(isFailingAfter(600, { othersFailed: false })).to.equal(false);
  });

  it('is false if no earlier failure is known', () => {
    expect(isFailingAfter(600, { first: null })).to.equal(false);
  });
});
