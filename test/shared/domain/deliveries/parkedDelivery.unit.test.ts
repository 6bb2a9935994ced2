import { expect } from 'chai';

import type { Delivery } from '../../../../shared/domain/deliveries/delivery.js';
import type { DeliveryFact } from '../../../../shared/domain/deliveries/deliveryFacts.js';
import { evolveDelivery, evolveMatched } from '../../../../shared/domain/deliveries/evolveDelivery.js';
import { nextStep, type SourceRecord } from '../../../../shared/domain/deliveries/nextStep.js';
import {
  canceled,
  deferred,
  failed,
  failedForGood,
  parked,
  requested,
  retryParked,
  succeeded,
} from '../../../support/deliveryFacts.js';
import { scenario, secondsLater, testIdentifier, type InContext } from '../../../support/facts.js';

const { given } = scenario<Delivery, InContext<DeliveryFact>>(evolveDelivery);

function after(...facts: readonly InContext<DeliveryFact>[]): Delivery | null {
  return given(...facts).when().after;
}

describe('evolveDelivery: a parked attempt', () => {
  it('makes the delivery pending, without a time', () => {
    expect(after(parked(1))).to.deep.include({
      status: 'pending',
      nextAttemptAt: null,
      parked: { number: 1, reason: 'busy' },
    });
  });

  it('leaves a retrying delivery its time', () => {
    expect(after(failed(), retryParked(2))).to.deep.include({
      status: 'retrying',
      nextAttemptAt: secondsLater(60),
      parked: { number: 2, reason: 'busy' },
    });
  });

  for (const [end, fact] of Object.entries({
    'a failed attempt': failed(),
    'a final attempt': failedForGood(),
    'a success': succeeded(),
    'an attempt with a higher number': failed({ number: 2 }),
    'a cancelation': canceled(),
    'a later cycle': requested(1),
  })) {
    it(`ends with ${end}`, () => {
      expect(after(parked(1), fact)).to.not.have.property('parked');
    });
  }

  it('stays parked after an attempt with a lower number', () => {
    expect(after(failed(), retryParked(3), failed({ number: 2 }))?.parked).to.deep.equal({
      number: 3,
      reason: 'busy',
    });
  });

  for (const [state, facts] of Object.entries({
    'was made': [failed()],
    'has ended in a success': [succeeded()],
    'belongs to a canceled delivery': [canceled()],
    'belongs to an earlier cycle': [requested(1)],
  })) {
    it(`changes nothing if the attempt ${state}`, () => {
      const { before, after: next } = given(...facts).when(parked(1));
      expect(next).to.deep.equal(before);
    });
  }

  it('keeps the number of the parked attempt if an earlier record is repeated', () => {
    expect(after(failed(), retryParked(3), retryParked(2))?.parked?.number).to.equal(3);
  });

  it('is not scheduled by a deferral of an earlier version', () => {
    expect(after(parked(1), deferred(secondsLater(9)))?.nextAttemptAt).to.equal(null);
  });
});

describe('evolveMatched', () => {
  const webhookId = testIdentifier('wh');
  const webhook = { webhookId, epoch: 3, waits: null } as const;
  const waiting = { ...webhook, waits: 'busy' } as const;

  it('adds a pending delivery in the epoch of the webhook', () => {
    expect(evolveMatched(null, webhook)).to.deep.include({
      webhookId,
      status: 'pending',
      nextAttemptAt: null,
      cycle: 0,
      epoch: 3,
      lastNumber: 0,
    });
  });

  it('parks the first attempt of a delivery that waits', () => {
    expect(evolveMatched(null, waiting).parked).to.deep.equal({ number: 1, reason: 'busy' });
  });

  it('parks a delivery that an earlier record has named', () => {
    expect(evolveMatched(evolveMatched(null, webhook), waiting).parked).to.deep.equal({
      number: 1,
      reason: 'busy',
    });
  });

  for (const [state, delivery] of Object.entries({
    'was attempted': after(failed()),
    'was delivered': after(succeeded()),
    'was canceled': after(canceled()),
    'has a later cycle': after(requested(1)),
  })) {
    it(`leaves a delivery unchanged that ${state}`, () => {
      expect(evolveMatched(delivery, waiting)).to.deep.equal(delivery);
    });
  }
});

describe('nextStep: a delivery that is pending without a time', () => {
  const pending = evolveMatched(null, { webhookId: testIdentifier('wh'), epoch: 0, waits: null });
  const waiting = evolveMatched(pending, { webhookId: testIdentifier('wh'), epoch: 0, waits: 'busy' });
  const first = { kind: 'attempt', attempt: { number: 1, attemptsMade: 0, trigger: 'first' } };
  const drop = { kind: 'drop' };
  const event: SourceRecord = { record: 'event', trigger: 'first' };
  const retry: SourceRecord = {
    ...{ record: 'retry', cycle: 0, number: 1, attemptsMade: 0, trigger: 'first' },
    predatesAssignment: true,
  };
  const outcome: SourceRecord = { record: 'outcome', cycle: 0, number: 1 };
  const release: SourceRecord = { record: 'release', cycle: 0, number: 1, trigger: 'first' };

  for (const [record, source, steps] of [
    ['an event', event, [first, drop]],
    ['a retry record', retry, [first, drop]],
    ['the outcome of a released attempt', outcome, [drop, drop]],
    ['a release', release, [drop, first]],
  ] as const) {
    it(`follows ${record}: ${steps[0].kind} if it is not parked, ${steps[1].kind} if it is`, () => {
      expect([nextStep(pending, source), nextStep(waiting, source)]).to.deep.equal(steps);
    });
  }

  it('of a requested cycle is attempted at the request, and dropped if it is parked', () => {
    const resent = after(failedForGood(), requested(1));
    const source: SourceRecord = { record: 'request', trigger: 'resend', cycle: 1, predatesAssignment: true };
    const step = { kind: 'attempt', attempt: { number: 2, attemptsMade: 0, trigger: 'resend' } };
    const parkedAgain = after(failedForGood(), requested(1), parked(2, { cycle: 1 }));
    expect([nextStep(resent, source), nextStep(parkedAgain, source)]).to.deep.equal([step, drop]);
  });
});

describe('nextStep: a released retry', () => {
  const release = (number: number): SourceRecord => ({
    record: 'release',
    cycle: 0,
    number,
    trigger: 'first',
  });
  const second = { number: 2, attemptsMade: 1, trigger: 'retry' };

  it('is attempted under the number at which it is parked', () => {
    expect(nextStep(after(failed(), retryParked(2)), release(2))).to.deep.equal({
      kind: 'attempt',
      attempt: second,
    });
  });

  for (const [state, delivery] of Object.entries({
    'has no delivery': null,
    'was attempted meanwhile': after(failed(), retryParked(2), failed({ number: 2 })),
    'has ended': after(failed(), retryParked(2), canceled()),
    'is parked at another number': after(failed(), retryParked(3)),
    'has a later cycle': after(failed(), retryParked(2), requested(1)),
  })) {
    it(`is dropped if it ${state}`, () => {
      expect(nextStep(delivery, release(2))).to.deep.equal({ kind: 'drop' });
    });
  }
});

describe('nextStep: the outcome of a released attempt', () => {
  const outcome = (number: number): SourceRecord => ({ record: 'outcome', cycle: 0, number });

  it('leads to the retry record if the attempt is the last one', () => {
    expect(nextStep(after(failed()), outcome(1))).to.deep.equal({
      kind: 'schedule',
      attempt: { number: 2, attemptsMade: 1, trigger: 'retry' },
      due: secondsLater(60),
    });
  });

  for (const [state, delivery] of Object.entries({
    'has no delivery': null,
    'is followed by another attempt': after(failed(), failed({ number: 2 })),
    'is followed by a parked attempt': after(failed(), retryParked(2)),
    'ended the delivery': after(succeeded()),
    'belongs to an earlier cycle': after(failed(), requested(1)),
  })) {
    it(`leads to nothing if it ${state}`, () => {
      expect(nextStep(delivery, outcome(1))).to.deep.equal({ kind: 'drop' });
    });
  }
});
