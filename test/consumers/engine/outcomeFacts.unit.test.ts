import { expect } from 'chai';

import type { DeliveryJob } from '../../../consumers/engine/deliveryJob.js';
import { attemptedFact, canceledFact, goneFacts } from '../../../consumers/engine/outcomeFacts.js';
import type { AttemptOutcome } from '../../../consumers/http/httpAttempt.js';
import { evolveDelivery } from '../../../shared/domain/deliveries/evolveDelivery.js';
import type { DeliveryFact } from '../../../shared/domain/deliveries/deliveryFacts.js';
import { contextOf, secondsLater, testIdentifier } from '../../support/facts.js';

const first: DeliveryJob = {
  eventId: testIdentifier('evt'),
  accountId: testIdentifier('acct'),
  mode: 'live',
  webhookId: testIdentifier('wh'),
  cycle: 0,
  number: 1,
  attemptsMade: 0,
  trigger: 'first',
  replayId: null,
  epoch: 3,
  positions: { event: { partition: 0, offset: 0 }, outcome: null },
};
const replayed: DeliveryJob = {
  ...first,
  cycle: 2,
  number: 4,
  trigger: 'replay',
  replayId: testIdentifier('rpl'),
};
const attemptId = testIdentifier('att');
const request = {
  attemptId,
  url: 'https://example.com/hook',
  webhookVersion: 4,
  eventType: 'order.completed',
};
const context = contextOf(testIdentifier('evt'));

const succeeded: AttemptOutcome = {
  outcome: 'succeeded',
  statusCode: 204,
  error: null,
  responseBody: Buffer.from([0, 255, 10]),
  responseTruncated: false,
  requests: 1,
  responseHeaders: { 'content-type': 'text/plain' },
  retryAfter: null,
  requestHeaders: { accept: '*/*' },
  startedAt: secondsLater(1),
  finishedAt: secondsLater(1.25),
  durationMs: 250,
};

const timedOut: AttemptOutcome = {
  ...succeeded,
  outcome: 'failed',
  statusCode: null,
  error: { code: 'timeout', message: 'No answer within 15 s' },
  responseBody: Buffer.alloc(0),
  responseHeaders: {},
};

/** The delivery that a reader sees once the fact was folded. */
function deliveryAfter(fact: DeliveryFact) {
  return evolveDelivery(null, { ...fact, context });
}

describe('attemptedFact', () => {
  it('contains the outcome of the first attempt', () => {
    expect(attemptedFact(first, request, succeeded, null)).to.deep.equal({
      type: 'postrider.delivery.attempted',
      value: {
        webhookId: first.webhookId,
        cycle: 0,
        epoch: 3,
        replayId: null,
        webhookVersion: 4,
        attemptId,
        number: 1,
        trigger: 'first',
        outcome: 'succeeded',
        final: true,
        statusCode: 204,
        error: null,
        attemptedAt: secondsLater(1),
        durationMs: 250,
        nextAttemptAt: null,
        responseBody: 'AP8K',
        responseHeaders: { 'content-type': 'text/plain' },
        url: request.url,
        requestHeaders: { accept: '*/*' },
        eventType: 'order.completed',
      },
    });
  });

  it('contains no request headers if no request was made', () => {
    const { value } = attemptedFact(first, request, { ...timedOut, requestHeaders: null }, null);
    expect(value).to.not.have.property('requestHeaders');
  });

  it('says that the request was repeated, and that the body is not whole', () => {
    const { value } = attemptedFact(
      first,
      request,
      { ...succeeded, responseTruncated: true, requests: 2 },
      null,
    );
    expect(value).to.include({ responseTruncated: true, requests: 2 });
  });

  it('contains the number, the cycle and the trigger of the attempt', () => {
    expect(attemptedFact(replayed, request, succeeded, null).value).to.include({
      cycle: 2,
      number: 4,
      trigger: 'replay',
      replayId: testIdentifier('rpl'),
    });
  });

  it('is not final if another attempt is scheduled', () => {
    expect(attemptedFact(first, request, timedOut, secondsLater(5)).value).to.deep.include({
      final: false,
      nextAttemptAt: secondsLater(5),
    });
  });

  it('sets the delivery to retrying after a failure with a next attempt', () => {
    expect(deliveryAfter(attemptedFact(first, request, timedOut, secondsLater(5)))).to.deep.include({
      status: 'retrying',
      nextAttemptAt: secondsLater(5),
    });
  });

  it('sets the time of the delivery to the time of the response', () => {
    expect(deliveryAfter(attemptedFact(first, request, succeeded, null))).to.deep.include({
      status: 'delivered',
      statusCode: 204,
      deliveredAt: succeeded.finishedAt,
    });
  });

  it('sets the delivery to failed after a final attempt without a response', () => {
    expect(deliveryAfter(attemptedFact(first, request, timedOut, null))).to.deep.include({
      status: 'failed',
      statusCode: null,
      error: timedOut.error,
    });
  });
});

describe('canceledFact', () => {
  for (const [reason, code] of [
    ['deleted', 'webhook_deleted'],
    ['disabled', 'webhook_disabled'],
    ['expired', 'event_expired'],
  ] as const) {
    it(`sets the delivery to canceled if the reason is ${reason}`, () => {
      const { error, ...delivery } = deliveryAfter(canceledFact(first, reason));
      expect({ ...delivery, code: error?.code }).to.deep.include({
        webhookId: first.webhookId,
        status: 'canceled',
        attemptCount: 0,
        code,
      });
    });
  }

  it('contains the epoch in which the event matched', () => {
    expect(canceledFact(first, 'disabled').value.epoch).to.equal(3);
  });
});

describe('goneFacts', () => {
  it('contain the attempt, which is not the last of an exhausted schedule, and then the cancelation', () => {
    const { type, value } = attemptedFact(first, request, timedOut, null);
    expect(goneFacts(first, request, timedOut)).to.deep.equal([
      { type, value: { ...value, final: false } },
      canceledFact(first, 'disabled'),
    ]);
  });
});
