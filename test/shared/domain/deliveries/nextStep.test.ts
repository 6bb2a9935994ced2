import { expect } from 'chai';
import fc from 'fast-check';

import {
  evolveDelivery,
  type Delivery,
  type DeliveryFact,
} from '../../../../shared/domain/deliveries/delivery.js';
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
  it('that nobody has begun is attempted', () => {
    expect(nextStep(null, event)).to.deep.equal({ kind: 'attempt', attempt: first });
  });

  it('whose attempt has failed is planned again', () => {
    expect(nextStep(after(failed()), event)).to.deep.equal({
      kind: 'schedule',
      attempt: second,
      due: secondsLater(60),
    });
  });

  it('that was deferred is planned again as its first attempt', () => {
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
    it(`whose delivery has ended (${what}) is dropped`, () => {
      expect(nextStep(after(fact), event)).to.deep.equal({ kind: 'drop' });
    });
  }

  it('of which another cycle was asked for is left to that', () => {
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

  it('whose attempt has failed is planned again where it stood in the log at assignment', () => {
    const state = after(...resent, failed({ cycle: 1, number: 2 }));
    expect(nextStep(state, request(1, true))).to.deep.equal({
      kind: 'schedule',
      attempt: third,
      due: secondsLater(60),
    });
  });

  it('whose attempt has failed is dropped otherwise', () => {
    expect(nextStep(after(...resent, failed({ cycle: 1, number: 2 })), request(1))).to.deep.equal({
      kind: 'drop',
    });
  });

  it('that was deferred is planned again as the first of its cycle', () => {
    expect(nextStep(after(...resent, deferred(secondsLater(9), 1)), request(1, true))).to.deep.equal({
      kind: 'schedule',
      attempt: { number: 2, attemptsMade: 0, trigger: 'resend' },
      due: secondsLater(9),
    });
  });

  it('whose delivery has ended is dropped', () => {
    const state = after(...resent, succeeded({ cycle: 1, number: 2 }));
    expect(nextStep(state, request(1, true))).to.deep.equal({ kind: 'drop' });
  });

  it('of an earlier cycle is dropped', () => {
    expect(nextStep(after(...resent, requested(2)), request(1, true))).to.deep.equal({ kind: 'drop' });
  });
});

describe('nextStep: a work record', () => {
  it('is attempted where its number has no outcome', () => {
    expect(nextStep(after(failed()), work(2))).to.deep.equal({ kind: 'attempt', attempt: second });
  });

  it('of a deferral is attempted', () => {
    expect(nextStep(after(deferred(secondsLater(5))), work(1))).to.deep.include({ kind: 'attempt' });
  });

  it('whose number has an outcome is dropped', () => {
    expect(nextStep(after(failed(), failed({ number: 2 })), work(2))).to.deep.equal({ kind: 'drop' });
  });

  it('whose number has the last outcome is followed by the next where it stood in the log at assignment', () => {
    const state = after(failed(), failed({ number: 2, nextAttemptAt: secondsLater(300) }));
    expect(nextStep(state, work(2, { predatesAssignment: true }))).to.deep.equal({
      kind: 'schedule',
      attempt: { number: 3, attemptsMade: 2, trigger: 'retry' },
      due: secondsLater(300),
    });
  });

  it('is dropped where later ones have outcomes too, wherever it stood', () => {
    const state = after(failed(), failed({ number: 2 }), failed({ number: 3 }));
    expect(nextStep(state, work(2, { predatesAssignment: true }))).to.deep.equal({ kind: 'drop' });
  });

  it('whose delivery has ended is dropped', () => {
    expect(nextStep(after(failed(), canceled()), work(2))).to.deep.equal({ kind: 'drop' });
  });

  it('of an earlier cycle is dropped', () => {
    expect(nextStep(after(failed(), requested(1)), work(2))).to.deep.equal({ kind: 'drop' });
  });

  it('is attempted where the log has lost the outcomes before it', () => {
    expect(nextStep(null, work(2))).to.deep.equal({ kind: 'attempt', attempt: second });
  });
});

describe('cancelationOf', () => {
  const webhook = { status: 'active', epoch: 2 } as const;

  it('is none where the webhook is as it was when the attempt was planned', () => {
    expect(cancelationOf(webhook, 2)).to.equal(null);
  });

  it('is for a webhook that was deleted', () => {
    expect(cancelationOf(undefined, 2)).to.equal('deleted');
  });

  it('is for a webhook that is disabled', () => {
    expect(cancelationOf({ ...webhook, status: 'disabled' }, 2)).to.equal('disabled');
  });

  it('is for a webhook that was disabled meanwhile and enabled again', () => {
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

describe('a pair whose process dies between any two steps, and whose work records may be deleted meanwhile', () => {
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
      fc.property(fc.array(anyFate, { maxLength: 40 }), (fates) => {
        check(lived(fates));
      }),
      { numRuns: 1000 },
    );
  };

  it('comes to its end', () => {
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

  it('has in its last cycle every attempt of the schedule, where none succeeds', () => {
    fc.assert(
      fc.property(fc.array(anyFate, { maxLength: 40 }), (fates) => {
        const pair = lived(fates.map((fate) => ({ ...fate, succeeds: false })));

        expect(pair.numbers().at(-1)).to.have.lengthOf(attemptsPerCycle);
      }),
    );
  });

  it('leaves at most one copy of a work record for each time that it died', () => {
    holds((pair) => {
      expect(pair.retryRecords()).to.be.at.most(pair.attempts() + pair.crashes());
    });
  });
});
