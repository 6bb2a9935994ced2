import { expect } from 'chai';

import type { Delivery } from '../../../../shared/domain/deliveries/delivery.js';
import type { DeliveryFact } from '../../../../shared/domain/deliveries/deliveryFacts.js';
import { evolveDelivery } from '../../../../shared/domain/deliveries/evolveDelivery.js';
import {
  canceled,
  failed,
  failedForGood,
  parked,
  canceledWithReplay,
  requestedByReplay,
  requested,
  retryParked,
  succeeded,
} from '../../../support/deliveryFacts.js';
import { scenario, secondsLater, testIdentifier, type InContext } from '../../../support/facts.js';

type Fact = InContext<DeliveryFact>;

const { given } = scenario<Delivery, Fact>(evolveDelivery);

function after(...facts: readonly Fact[]): Delivery | null {
  return given(...facts).when().after;
}

function replay(number: number): string {
  return testIdentifier('rpl', number);
}

/** A delivery that failed, and the requests of several replays without an attempt between them. */
function stacked(replays: number): readonly Fact[] {
  const cycles = Array.from({ length: replays }, (_, index) => index + 1);
  return [failedForGood(), ...cycles.map((cycle) => requestedByReplay(cycle, replay(cycle)))];
}

function outcomes(delivery: Delivery | null): readonly string[] | undefined {
  return delivery?.replays?.map(({ outcome }) => outcome);
}

describe('evolveDelivery: the cancelation of a replay', () => {
  for (const [status, facts] of Object.entries({
    delivered: [succeeded()],
    failed: [failedForGood()],
    canceled: [canceled()],
    retrying: [failed()],
  })) {
    it(`restores a delivery that was ${status} before the request, in the cycle of the replay`, () => {
      const state = after(...facts, requestedByReplay(1), canceledWithReplay(1));
      expect({ ...state, replays: null }).to.deep.equal({ ...after(...facts), cycle: 1, replays: null });
    });
  }

  it('restores a parked delivery as pending, without the parking', () => {
    expect(after(parked(1), requestedByReplay(1), canceledWithReplay(1))).to.deep.include({
      status: 'pending',
      nextAttemptAt: null,
      cycle: 1,
    });
  });

  it('is final for a request that was appended twice', () => {
    const { before, after: next } = given(failedForGood(), requestedByReplay(1), canceledWithReplay(1)).when(
      requestedByReplay(1),
    );
    expect(next).to.deep.equal(before);
  });

  it('cancels a delivery that did not exist before', () => {
    expect(after(requestedByReplay(1), canceledWithReplay(1))).to.deep.include({
      status: 'canceled',
      error: { code: 'replay_canceled', message: 'The replay was canceled' },
    });
  });

  it('ends the parking of the attempt that the replay requested', () => {
    const replayId = testIdentifier('rpl');
    const state = after(
      failedForGood(),
      requestedByReplay(1),
      parked(2, { cycle: 1, replayId }),
      canceledWithReplay(1),
    );
    expect([state?.status, state?.parked]).to.deep.equal(['failed', undefined]);
  });

  it('changes nothing after an attempt', () => {
    const replayId = testIdentifier('rpl');
    const { before, after: next } = given(
      failedForGood(),
      requestedByReplay(1),
      failed({ cycle: 1, number: 2, replayId }),
    ).when(canceledWithReplay(1));
    expect(next).to.deep.equal(before);
  });

  it('changes nothing if its record is repeated', () => {
    const { before, after: next } = given(failedForGood(), requestedByReplay(1), canceledWithReplay(1)).when(
      canceledWithReplay(1),
    );
    expect(next).to.deep.equal(before);
  });

  it('changes nothing in a later cycle', () => {
    const { before, after: next } = given(failedForGood(), requestedByReplay(1), requested(2)).when(
      canceledWithReplay(1),
    );
    expect(next).to.deep.equal(before);
  });

  it('counts for its replay as canceled, also after a later cycle', () => {
    const facts = [failedForGood(), requestedByReplay(1), canceledWithReplay(1)];
    const later = succeeded({ cycle: 2, number: 2 });
    expect([after(...facts)?.replays, after(...facts, later)?.replays]).to.deep.equal([
      [{ replayId: testIdentifier('rpl'), cycle: 1, outcome: 'canceled' }],
      [{ replayId: testIdentifier('rpl'), cycle: 1, outcome: 'canceled' }],
    ]);
  });

  it('restores the request of an earlier replay that waits for its attempt', () => {
    const state = after(...stacked(2), canceledWithReplay(2, replay(2)));
    const earlier = after(...stacked(1));
    expect({ ...state, replays: null }).to.deep.equal({ ...earlier, cycle: 2, replays: null });
    expect(outcomes(state)).to.deep.equal(['pending', 'canceled']);
  });

  it('restores the state before both replays if both are canceled, the newer one first', () => {
    const state = after(...stacked(2), canceledWithReplay(2, replay(2)), canceledWithReplay(2, replay(1)));
    const { replays: _replays, ...restored } = state ?? expect.fail();
    expect(restored).to.deep.equal({ ...after(failedForGood()), cycle: 2 });
    expect(outcomes(state)).to.deep.equal(['canceled', 'canceled']);
  });

  it('cancels a delivery that did not exist before the first of two canceled replays', () => {
    const [, ...requests] = stacked(2);
    const facts = [...requests, canceledWithReplay(2, replay(2)), canceledWithReplay(2, replay(1))];
    expect(after(...facts)?.status).to.equal('canceled');
  });

  it('restores an earlier state beyond ten replays without an attempt', () => {
    const state = after(...stacked(12), canceledWithReplay(12, replay(12)));
    expect([state?.status, state?.replayId]).to.deep.equal(['pending', replay(9)]);
  });

  it('changes nothing if another replay has requested the cycle before', () => {
    const [one, other] = [testIdentifier('rpl', 1), testIdentifier('rpl', 2)];
    const { before, after: next } = given(
      failedForGood(),
      requestedByReplay(1, one),
      requestedByReplay(1, other),
    ).when(canceledWithReplay(1, other));
    expect(next).to.deep.equal(before);
  });

  it('cancels a delivery of a document that does not contain the state before the request', () => {
    const { before: _before, ...earlier } = after(failedForGood(), requestedByReplay(1)) ?? expect.fail();
    expect(evolveDelivery(earlier, canceledWithReplay(1))).to.deep.include({
      status: 'canceled',
      nextAttemptAt: null,
    });
  });

  it('lets a success count that was in flight', () => {
    const replayId = testIdentifier('rpl');
    const state = after(
      failedForGood(),
      requestedByReplay(1),
      canceledWithReplay(1),
      succeeded({ cycle: 1, number: 2, replayId }),
    );
    expect(state?.status).to.equal('delivered');
  });
});

describe('evolveDelivery: the last attempt', () => {
  it('contains the time, the status code and the error of the attempt', () => {
    expect(after(failed({ attemptedAt: secondsLater(5) }))?.last).to.deep.equal({
      at: secondsLater(5),
      statusCode: 500,
      errorCode: 'http_status',
    });
  });

  it('stays in later cycles', () => {
    expect(after(failedForGood(), requested(1))?.last?.statusCode).to.equal(500);
  });

  it('is replaced by the next one', () => {
    expect(after(failed(), succeeded({ number: 2 }))?.last).to.include({ statusCode: 200, errorCode: null });
  });

  it('is not replaced by a late attempt with a lower number', () => {
    const state = after(failed(), failed({ number: 3, statusCode: 503 }), failed({ number: 2 }));
    expect(state?.last?.statusCode).to.equal(503);
  });

  it('is the success that ended the delivery, whatever its number', () => {
    expect(after(failed(), failed({ number: 2 }), succeeded())?.last?.statusCode).to.equal(200);
  });

  it('stays after a parked attempt', () => {
    expect(after(failed(), retryParked(2))?.last?.statusCode).to.equal(500);
  });
});
