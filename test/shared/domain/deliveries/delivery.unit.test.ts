import { expect } from 'chai';
import fc from 'fast-check';

import {
  isFinal,
  type Delivery,
  type DeliveryStatus,
} from '../../../../shared/domain/deliveries/delivery.js';
import { evolveDelivery } from '../../../../shared/domain/deliveries/evolveDelivery.js';
import { attemptNumberOf } from '../../../../shared/domain/deliveries/recordedAttempts.js';
import type { DeliveryFact } from '../../../../shared/domain/deliveries/deliveryFacts.js';
import { anyDeliveryFact } from '../../../support/arbitraries.js';
import {
  canceled,
  deferred,
  failed,
  failedForGood,
  requested,
  succeeded,
  testEventId,
} from '../../../support/deliveryFacts.js';
import { contextOf, scenario, secondsLater, testIdentifier, type InContext } from '../../../support/facts.js';
import { itHolds } from '../../../support/itHolds.js';

type Fact = InContext<DeliveryFact>;

const { given } = scenario<Delivery, Fact>(evolveDelivery);

const soon = secondsLater(30);

/** The id of an attempt of the first cycle. */
const attempt = (number: number) => testIdentifier('att', number);
const twoAttempts = { attemptCount: 2, attemptIds: [attempt(1), attempt(2)] };

/** The facts of a delivery in each status of its first cycle. */
const histories: Readonly<Record<'none' | DeliveryStatus, readonly Fact[]>> = {
  none: [],
  pending: [deferred(soon)],
  retrying: [failed({ number: 1 })],
  delivered: [succeeded({ number: 1 })],
  failed: [failedForGood({ number: 1 })],
  canceled: [canceled()],
};

/** The status after another fact of the same cycle. */
const transitions: readonly {
  fact: Fact;
  name: string;
  statuses: Record<keyof typeof histories, DeliveryStatus>;
}[] = [
  {
    name: 'a deferral',
    fact: deferred(soon),
    statuses: {
      none: 'pending',
      pending: 'pending',
      retrying: 'retrying',
      delivered: 'delivered',
      failed: 'failed',
      canceled: 'canceled',
    },
  },
  {
    name: 'a failed attempt that is to be repeated',
    fact: failed({ number: 2 }),
    statuses: {
      none: 'retrying',
      pending: 'retrying',
      retrying: 'retrying',
      delivered: 'delivered',
      failed: 'failed',
      canceled: 'canceled',
    },
  },
  {
    name: 'a failed attempt that is the last',
    fact: failedForGood({ number: 2 }),
    statuses: {
      none: 'failed',
      pending: 'failed',
      retrying: 'failed',
      delivered: 'delivered',
      failed: 'failed',
      canceled: 'canceled',
    },
  },
  {
    name: 'a successful attempt',
    fact: succeeded({ number: 2 }),
    statuses: {
      none: 'delivered',
      pending: 'delivered',
      retrying: 'delivered',
      delivered: 'delivered',
      failed: 'delivered',
      canceled: 'delivered',
    },
  },
  {
    name: 'a cancelation',
    fact: canceled(),
    statuses: {
      none: 'canceled',
      pending: 'canceled',
      retrying: 'canceled',
      delivered: 'delivered',
      failed: 'failed',
      canceled: 'canceled',
    },
  },
  {
    name: 'the request of another cycle',
    fact: requested(1),
    statuses: {
      none: 'pending',
      pending: 'pending',
      retrying: 'pending',
      delivered: 'pending',
      failed: 'pending',
      canceled: 'pending',
    },
  },
];

describe('evolveDelivery: the status', () => {
  for (const { name, fact, statuses } of transitions) {
    for (const [from, to] of Object.entries(statuses)) {
      it(`is ${to} if ${name} follows ${from}`, () => {
        const earlier = histories[from as keyof typeof histories];

        expect(given(...earlier).when(fact).after?.status).to.equal(to);
      });
    }
  }
});

describe('evolveDelivery: the state', () => {
  const webhookId = testIdentifier('wh');
  const firstCycle = { cycle: 0, epoch: 0, replayId: null, requestId: null, firstNumber: 1 };

  it('of a deferred delivery contains its next attempt', () => {
    expect(given().when(deferred(soon)).after).to.deep.equal({
      webhookId,
      status: 'pending',
      statusCode: null,
      deliveredAt: null,
      attemptCount: 0,
      nextAttemptAt: soon,
      error: null,
      ...firstCycle,
      firstNumber: null,
      lastNumber: 0,
    });
  });

  it('of a failed delivery with retries contains the last response and the next attempt', () => {
    expect(given(deferred(soon)).when(failed()).after).to.deep.equal({
      webhookId,
      status: 'retrying',
      statusCode: 500,
      deliveredAt: null,
      attemptCount: 1,
      attemptIds: [attempt(1)],
      nextAttemptAt: secondsLater(60),
      error: { code: 'http_status', message: 'The receiver answered 500' },
      ...firstCycle,
      lastNumber: 1,
      last: { at: secondsLater(1), statusCode: 500, errorCode: 'http_status' },
    });
  });

  it('of a failed delivery without a response contains no status code', () => {
    const error = { code: 'timeout', message: 'No answer within 15 s' } as const;
    const { after } = given(failed()).when(failed({ number: 2, statusCode: null, error }));

    expect(after).to.deep.include({ statusCode: null, error, attemptCount: 2 });
  });

  it('of a finally failed delivery contains no next attempt', () => {
    const { after } = given(failed()).when(failedForGood({ number: 2, statusCode: 503 }));

    expect(after).to.include({ status: 'failed', statusCode: 503, nextAttemptAt: null, attemptCount: 2 });
  });

  it('of a delivered one contains the time of the response, and no error', () => {
    const answered = { number: 2, statusCode: 204, attemptedAt: secondsLater(10), durationMs: 1500 };

    expect(given(failed()).when(succeeded(answered)).after).to.deep.equal({
      webhookId,
      status: 'delivered',
      statusCode: 204,
      deliveredAt: secondsLater(11.5),
      attemptCount: 2,
      attemptIds: [attempt(1), attempt(2)],
      nextAttemptAt: null,
      error: null,
      ...firstCycle,
      lastNumber: 2,
      last: { at: secondsLater(10), statusCode: 204, errorCode: null },
    });
  });

  it('of a canceled one contains the reason, and the last response', () => {
    expect(given(failed()).when(canceled()).after).to.deep.include({
      status: 'canceled',
      statusCode: 500,
      nextAttemptAt: null,
      attemptCount: 1,
      error: { code: 'webhook_deleted', message: 'The webhook was deleted' },
    });
  });

  it('of a requested one contains only the attempts of the cycle before, and the last of them', () => {
    expect(given(failed(), failedForGood({ number: 2 })).when(requested(1)).after).to.deep.equal({
      webhookId,
      status: 'pending',
      statusCode: null,
      deliveredAt: null,
      attemptCount: 2,
      attemptIds: [attempt(1), attempt(2)],
      nextAttemptAt: null,
      error: null,
      cycle: 1,
      epoch: 0,
      replayId: null,
      requestId: requested(1).context.id,
      firstNumber: null,
      lastNumber: 0,
      last: { at: secondsLater(1), statusCode: 500, errorCode: 'http_status' },
    });
  });
});

describe('evolveDelivery: duplicates and late outcomes', () => {
  it('keeps the first success of a cycle and counts the second', () => {
    const { before, after } = given(succeeded({ number: 1 })).when(
      succeeded({ number: 2, statusCode: 202, attemptedAt: secondsLater(90) }),
    );

    expect(after).to.deep.equal({ ...before, ...twoAttempts, lastNumber: 2 });
  });

  it('keeps a success if a failure of the cycle follows', () => {
    const { before, after } = given(succeeded({ number: 1 })).when(failedForGood({ number: 2 }));

    expect(after).to.deep.equal({ ...before, ...twoAttempts, lastNumber: 2 });
  });

  it('contains the latest attempt if an earlier one is duplicated', () => {
    const { before, after } = given(failed(), failed({ number: 2, nextAttemptAt: secondsLater(900) })).when(
      failed(),
    );

    expect(after).to.deep.equal(before);
  });

  it('shows what the first record of an attempt says', () => {
    const { before, after } = given(failed({ number: 1, statusCode: 500 })).when(
      failed({ number: 1, statusCode: 502 }),
    );

    expect(after).to.deep.equal(before);
  });

  it('does not schedule a delivery again that was canceled meanwhile', () => {
    const { before, after } = given(failed(), canceled()).when(failed({ number: 2 }));

    expect(after).to.deep.equal({ ...before, ...twoAttempts, lastNumber: 2 });
  });

  it('does not return to pending if a deferral is duplicated after an attempt', () => {
    const { before, after } = given(deferred(soon), failed()).when(deferred(soon));

    expect(after).to.deep.equal(before);
  });

  it('keeps the time of the first deferral', () => {
    const { before, after } = given(deferred(soon)).when(deferred(secondsLater(90)));

    expect(after).to.deep.equal(before);
  });

  it('counts the late success of an older cycle, as the last attempt, without showing its status', () => {
    const { before, after } = given(failedForGood(), requested(1)).when(succeeded({ number: 2, cycle: 0 }));

    const last = { at: secondsLater(1), statusCode: 200, errorCode: null };
    expect(after).to.deep.equal({ ...before, ...twoAttempts, last });
  });

  for (const fact of [canceled(0), deferred(soon, 0), requested(0)]) {
    it(`is not changed by ${fact.type} of an older cycle`, () => {
      const { before, after } = given(failedForGood(), requested(1)).when(fact);

      expect(after).to.deep.equal(before);
    });
  }

  it('starts a cycle with any of its records', () => {
    const { after } = given(failedForGood()).when(failed({ number: 2, cycle: 1, trigger: 'resend' }));

    expect(after).to.include({ status: 'retrying', cycle: 1, attemptCount: 2 });
  });

  it('delivers in a later cycle what was delivered before', () => {
    const { after } = given(succeeded(), requested(1)).when(
      succeeded({ number: 2, cycle: 1, attemptedAt: secondsLater(500), durationMs: 0 }),
    );

    expect(after).to.deep.include({ status: 'delivered', deliveredAt: secondsLater(500), attemptCount: 2 });
  });
});

describe('evolveDelivery: any facts of a delivery', () => {
  const anyFact = anyDeliveryFact.map((fact): Fact => ({ ...fact, context: contextOf(testEventId) }));
  const anyFacts = fc.array(anyFact, { maxLength: 12 });

  const stateOf = (facts: readonly Fact[]) => given(...facts).when().after;
  const shown = (state: Delivery | null) => ({
    ...state,
    attemptCount: 0,
    attemptIds: null,
    epoch: 0,
    requestId: null,
    firstNumber: null,
    lastNumber: 0,
    last: null,
    replays: null,
  });

  itHolds('change nothing if they are folded twice', [anyFacts, anyFact], (facts, fact) => {
    expect(stateOf([...facts, fact, fact])).to.deep.equal(stateOf([...facts, fact]));
  });

  itHolds(
    'change nothing if any of them are repeated after all others',
    [anyFacts.chain((facts) => fc.tuple(fc.constant(facts), fc.shuffledSubarray(facts)))],
    ([facts, again]) => {
      expect(stateOf([...facts, ...again])).to.deep.equal(stateOf(facts));
    },
  );

  itHolds('number the attempts of the highest cycle from the lowest to the highest', [anyFacts], (facts) => {
    const state = stateOf(facts);
    const numbers = facts.flatMap(({ type, value }) =>
      type === 'postrider.delivery.attempted' && value.cycle === state?.cycle ? [value.number] : [],
    );

    expect([state?.firstNumber ?? null, state?.lastNumber ?? 0]).to.deep.equal([
      numbers.length === 0 ? null : Math.min(...numbers),
      Math.max(0, ...numbers),
    ]);
  });

  itHolds(
    'number each attempt once, in the order of the log, whatever their cycles, numbers and repetitions are',
    [anyFacts],
    (facts) => {
      const state = stateOf(facts);
      const attemptIds = facts.flatMap(({ type, value }) =>
        type === 'postrider.delivery.attempted' ? [value.attemptId] : [],
      );
      const recorded = [...new Set(attemptIds)];

      expect([
        state?.attemptCount ?? 0,
        recorded.map((attemptId) => state && attemptNumberOf(state, attemptId)),
      ]).to.deep.equal([recorded.length, recorded.map((_, index) => index + 1)]);
    },
  );

  itHolds('result in the highest cycle', [anyFacts], (facts) => {
    const cycles = facts.map(({ value }) => value.cycle);

    expect(stateOf(facts)?.cycle ?? 0).to.equal(Math.max(0, ...cycles));
  });

  itHolds(
    'change only the count, the last attempt and the replays, if they belong to an older cycle',
    [anyFacts, anyFact],
    (facts, fact) => {
      const before = stateOf([...facts, requested(4)]);
      const after = stateOf([...facts, requested(4), fact]);

      const aside = { attemptCount: 0, attemptIds: null, last: null, replays: null };
      expect({ ...after, ...aside }).to.deep.equal({ ...before, ...aside });
    },
  );

  itHolds(
    'change only the count after the first success of a cycle',
    [anyFacts, anyFacts],
    (facts, later) => {
      const before = stateOf([...facts, succeeded({ webhookId: 'wh_1', cycle: 3, number: 1 })]);
      const after = later.reduce<Delivery | null>(evolveDelivery, before);

      expect(shown(after)).to.deep.equal(shown(before));
    },
  );

  itHolds('never change retrying into pending within a cycle', [anyFacts, anyFact], (facts, fact) => {
    const before = stateOf([...facts, failed({ webhookId: 'wh_1', cycle: 3, number: 7 })]);
    fc.pre(before?.status === 'retrying');

    expect(evolveDelivery(before, fact).status).to.not.equal('pending');
  });

  itHolds('change a final status only into delivered within a cycle', [anyFacts, anyFact], (facts, fact) => {
    const before = stateOf(facts);
    fc.pre(before !== null && isFinal(before) && fact.value.cycle <= before.cycle);

    expect(stateOf([...facts, fact])?.status).to.be.oneOf([before.status, 'delivered']);
  });

  itHolds('set a time of delivery exactly if the status is delivered', [anyFacts], (facts) => {
    const state = stateOf(facts);

    expect((state?.deliveredAt ?? null) !== null).to.equal(state?.status === 'delivered');
  });

  itHolds('do not modify the state before', [anyFacts, anyFacts], (facts, later) => {
    const before = stateOf(facts);
    const copy = structuredClone(before);
    later.reduce<Delivery | null>(evolveDelivery, before);

    expect(before).to.deep.equal(copy);
  });
});

describe('isFinal', () => {
  const statuses: Record<DeliveryStatus, boolean> = {
    pending: false,
    retrying: false,
    delivered: true,
    failed: true,
    canceled: true,
  };
  for (const [status, expected] of Object.entries(statuses)) {
    it(`is ${String(expected)} for ${status}`, () => {
      const { after } = given(...histories[status as DeliveryStatus]).when();

      expect(after === null ? null : isFinal(after)).to.equal(expected);
    });
  }
});
