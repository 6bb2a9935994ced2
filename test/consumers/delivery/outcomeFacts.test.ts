import { expect } from 'chai';

import type { AttemptOutcome } from '../../../consumers/attempt/attempt.js';
import { attemptedFact, canceledFact } from '../../../consumers/delivery/outcomeFacts.js';
import { evolveDelivery, type DeliveryFact } from '../../../shared/domain/delivery.js';
import { deliveryRecords } from '../../../shared/topics/deliveries.js';
import { contextOf, secondsLater, testIdentifier } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';

const webhook = { id: testIdentifier('wh'), epoch: 3 };
const attemptId = testIdentifier('att');
const context = contextOf(testIdentifier('evt'));

const succeeded: AttemptOutcome = {
  outcome: 'succeeded',
  statusCode: 204,
  error: null,
  responseBody: Buffer.from([0, 255, 10]),
  responseHeaders: { 'content-type': 'text/plain' },
  retryAfter: null,
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

const live = { onlyWebhookId: null };
const test = { onlyWebhookId: webhook.id };

/** The delivery that a reader sees once the fact was folded. */
function deliveryAfter(fact: DeliveryFact) {
  return evolveDelivery(null, { ...fact, context });
}

describe('attemptedFact', () => {
  it('keeps what came of the first attempt', () => {
    expect(attemptedFact(live, webhook, attemptId, succeeded)).to.deep.equal({
      type: 'postrider.delivery.attempted',
      value: {
        webhookId: webhook.id,
        cycle: 0,
        epoch: 3,
        replayId: null,
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
      },
    });
  });

  it('says of a test delivery that it was one', () => {
    expect(attemptedFact(test, webhook, attemptId, succeeded).value).to.include({ trigger: 'test' });
  });

  it('makes a delivery at the time of the answer', () => {
    expect(deliveryAfter(attemptedFact(live, webhook, attemptId, succeeded))).to.deep.include({
      status: 'delivered',
      statusCode: 204,
      deliveredAt: succeeded.finishedAt,
    });
  });

  it('makes a failed delivery of an attempt without an answer', () => {
    expect(deliveryAfter(attemptedFact(live, webhook, attemptId, timedOut))).to.deep.include({
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
  ] as const) {
    it(`makes a canceled delivery of a webhook that was ${reason}`, () => {
      expect(deliveryAfter(canceledFact(webhook, reason))).to.deep.include({
        webhookId: webhook.id,
        status: 'canceled',
        attemptCount: 0,
        error: { code, message: `The webhook was ${reason} before the event could be delivered` },
      });
    });
  }

  it('keeps the epoch in which the event had matched', () => {
    expect(canceledFact(webhook, 'disabled').value.epoch).to.equal(3);
  });
});

describe('outcome facts', () => {
  const facts = {
    'a success': attemptedFact(live, webhook, attemptId, succeeded),
    'a failure': attemptedFact(live, webhook, attemptId, timedOut),
    'a test delivery': attemptedFact(test, webhook, attemptId, succeeded),
    'a cancelation': canceledFact(webhook, 'deleted'),
  };
  for (const [what, fact] of Object.entries(facts)) {
    it(`stand in the log as they were: ${what}`, () => {
      expect(deliveryRecords.decode(rawRecord(deliveryRecords.encode(fact, context)))).to.deep.equal({
        readable: true,
        content: { ...fact, context },
      });
    });
  }
});
