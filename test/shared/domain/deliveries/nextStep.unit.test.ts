import { expect } from 'chai';
import fc from 'fast-check';

import type { Delivery } from '../../../../shared/domain/deliveries/delivery.js';
import { evolveDelivery } from '../../../../shared/domain/deliveries/evolveDelivery.js';
import type { DeliveryFact } from '../../../../shared/domain/deliveries/deliveryFacts.js';
import { cancelationOf, nextStep, type SourceRecord } from '../../../../shared/domain/deliveries/nextStep.js';
import {
  canceled,
  deferred,
  failed,
  failedForGood,
  requested,
  succeeded,
} from '../../../support/deliveryFacts.js';
import { scenario, secondsLater, type InContext } from '../../../support/facts.js';
import { attemptsPerCycle, createCrashingPair, type Fate } from './crashingPair.js';
import { itHolds } from '../../../support/itHolds.js';

const { given } = scenario<Delivery, InContext<DeliveryFact>>(evolveDelivery);

function after(...facts: readonly InContext<DeliveryFact>[]): Delivery | null {
  return given(...facts).when().after;
}

const event: SourceRecord = { record: 'event', trigger: 'first' };
const request = (cycle: number, predatesAssignment = false): SourceRecord => ({
  record: 'request',
  trigger: 'resend',
  cycle,
  predatesAssignment,
});
const work = (number: number, { cycle = 0, predatesAssignment = false } = {}): SourceRecord => ({
  ...{ record: 'retry', cycle, number, attemptsMade: number - 1, trigger: 'retry', predatesAssignment },
});
const first = { number: 1, attemptsMade: 0, trigger: 'first' } as const;
const second = { number: 2, attemptsMade: 1, trigger: 'retry' } as const;

describe('nextStep: an event', () => {
  it('is attempted if it has no delivery', () => {
    expect(nextStep(null, event)).to.deep.equal({ kind: 'attempt', attempt: first });
  });

  it('is scheduled again if its attempt has failed', () => {
    expect(nextStep(after(failed()), event)).to.deep.equal({
      kind: 'schedule',
      attempt: second,
      due: secondsLater(60),
    });
  });

  it('is scheduled again as its first attempt if it was deferred', () => {
    expect(nextStep(after(deferred(secondsLater(30))), event)).to.deep.equal({
      kind: 'schedule',
      attempt: first,
      due: secondsLater(30),
    });
  });

  for (const [what, fact] of Object.entries({
    succeeded: succeeded(),
    failed: failedForGood(),
    canceled: canceled(),
  })) {
    it(`is dropped if its delivery has ended (${what})`, () => {
      expect(nextStep(after(fact), event)).to.deep.equal({ kind: 'drop' });
    });
  }

  it('is dropped if another cycle was requested', () => {
    expect(nextStep(after(failed(), requested(1)), event)).to.deep.equal({ kind: 'drop' });
  });
});

describe('nextStep: a request', () => {
  const resent = [failedForGood(), requested(1)] as const;
  const third = { number: 3, attemptsMade: 1, trigger: 'retry' };

  it('is attempted under the next number, as the first of its cycle', () => {
    expect(nextStep(after(...resent), request(1))).to.deep.equal({
      kind: 'attempt',
      attempt: { number: 2, attemptsMade: 0, trigger: 'resend' },
    });
  });

  it('is scheduled again if its attempt has failed and it predates the assignment', () => {
    const state = after(...resent, failed({ cycle: 1, number: 2 }));
    expect(nextStep(state, request(1, true))).to.deep.equal({
      kind: 'schedule',
      attempt: third,
      due: secondsLater(60),
    });
  });

  it('is dropped if its attempt has failed otherwise', () => {
    expect(nextStep(after(...resent, failed({ cycle: 1, number: 2 })), request(1))).to.deep.equal({
      kind: 'drop',
    });
  });

  it('is scheduled again as the first of its cycle if it was deferred', () => {
    expect(nextStep(after(...resent, deferred(secondsLater(9), 1)), request(1, true))).to.deep.equal({
      kind: 'schedule',
      attempt: { number: 2, attemptsMade: 0, trigger: 'resend' },
      due: secondsLater(9),
    });
  });

  it('is dropped if its delivery has ended', () => {
    const state = after(...resent, succeeded({ cycle: 1, number: 2 }));
    expect(nextStep(state, request(1, true))).to.deep.equal({ kind: 'drop' });
  });

  it('is dropped if it belongs to an earlier cycle', () => {
    expect(nextStep(after(...resent, requested(2)), request(1, true))).to.deep.equal({ kind: 'drop' });
  });
});

describe('nextStep: a retry record', () => {
  it('is attempted if its number has no outcome', () => {
    expect(nextStep(after(failed()), work(2))).to.deep.equal({ kind: 'attempt', attempt: second });
  });

  it('is attempted if it belongs to a deferral', () => {
    expect(nextStep(after(deferred(secondsLater(5))), work(1))).to.deep.include({ kind: 'attempt' });
  });

  it('is dropped if its number has an outcome', () => {
    expect(nextStep(after(failed(), failed({ number: 2 })), work(2))).to.deep.equal({ kind: 'drop' });
  });

  it('is followed by the next one if its number has the last outcome and it predates the assignment', () => {
    const state = after(failed(), failed({ number: 2, nextAttemptAt: secondsLater(300) }));
    expect(nextStep(state, work(2, { predatesAssignment: true }))).to.deep.equal({
      kind: 'schedule',
      attempt: { number: 3, attemptsMade: 2, trigger: 'retry' },
      due: secondsLater(300),
    });
  });

  it('is dropped if later attempts have outcomes too, whether or not it predates the assignment', () => {
    const state = after(failed(), failed({ number: 2 }), failed({ number: 3 }));
    expect(nextStep(state, work(2, { predatesAssignment: true }))).to.deep.equal({ kind: 'drop' });
  });

  it('is dropped if its delivery has ended', () => {
    expect(nextStep(after(failed(), canceled()), work(2))).to.deep.equal({ kind: 'drop' });
  });

  it('is dropped if it belongs to an earlier cycle', () => {
    expect(nextStep(after(failed(), requested(1)), work(2))).to.deep.equal({ kind: 'drop' });
  });

  it('is attempted if the log has lost the earlier outcomes', () => {
    expect(nextStep(null, work(2))).to.deep.equal({ kind: 'attempt', attempt: second });
  });
});

describe('cancelationOf', () => {
  const webhook = { status: 'active', epoch: 2 } as const;

  it('returns null if the webhook has not changed since the attempt was scheduled', () => {
    expect(cancelationOf(webhook, 2)).to.equal(null);
  });

  it('cancels for a deleted webhook', () => {
    expect(cancelationOf(undefined, 2)).to.equal('deleted');
  });

  it('cancels for a disabled webhook', () => {
    expect(cancelationOf({ ...webhook, status: 'disabled' }, 2)).to.equal('disabled');
  });

  it('cancels for a webhook that was disabled meanwhile and enabled again', () => {
    expect(cancelationOf(webhook, 1)).to.equal('disabled');
  });
});

const anyFate: fc.Arbitrary<Fate> = fc.record({
  pick: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  diesAfter: fc.integer({ min: 1, max: 8 }),
  succeeds: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
  asksForCycle: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
  deletes: fc.oneof(
    { weight: 8, arbitrary: fc.constant('nothing' as const) },
    fc.constantFrom('some', 'all'),
  ),
});
const calm: Fate = { pick: 0, diesAfter: 9, succeeds: false, asksForCycle: false, deletes: 'nothing' };

describe('A delivery whose process crashes between any two steps, and whose retry records may be deleted meanwhile', () => {
  const lived = (fates: readonly Fate[]) => {
    const pair = createCrashingPair();
    fates.forEach(pair.live);
    for (let left = 500; !pair.isDone() && left > 0; left -= 1) {
      pair.live(calm);
    }
    return pair;
  };
  const holds = (check: (pair: ReturnType<typeof lived>) => void) => {
    fc.assert(
      fc.property(fc.array(anyFate, { maxLength: 40, size: 'max' }), (fates) => {
        check(lived(fates));
      }),
      { numRuns: 200 },
    );
  };

  it('ends', () => {
    holds((pair) => {
      expect([pair.isDone(), pair.isFinal()]).to.deep.equal([true, true]);
    });
  });

  it('has an outcome of each number once', () => {
    holds((pair) => {
      for (const numbers of pair.numbers()) {
        expect(numbers).to.deep.equal([...new Set(numbers)].sort((left, right) => left - right));
      }
    });
  });

  itHolds(
    'has in its last cycle every attempt of the schedule, if none succeeds',
    [fc.array(anyFate, { maxLength: 40, size: 'max' })],
    (fates) => {
      const pair = lived(fates.map((fate) => ({ ...fate, succeeds: false })));

      expect(pair.numbers().at(-1)).to.have.lengthOf(attemptsPerCycle);
    },
  );

  it('leaves at most one duplicate of a retry record for each crash', () => {
    holds((pair) => {
      expect(pair.retryRecords()).to.be.at.most(pair.attempts() + pair.crashes());
    });
  });
});
