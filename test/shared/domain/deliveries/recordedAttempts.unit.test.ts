import { expect } from 'chai';

import type { Delivery } from '../../../../shared/domain/deliveries/delivery.js';
import { evolveDelivery } from '../../../../shared/domain/deliveries/evolveDelivery.js';
import type { DeliveryFact } from '../../../../shared/domain/deliveries/deliveryFacts.js';
import { attemptNumberOf, withAttempt } from '../../../../shared/domain/deliveries/recordedAttempts.js';
import { requested, succeeded } from '../../../support/deliveryFacts.js';
import { scenario, testIdentifier, type InContext } from '../../../support/facts.js';

const { given } = scenario<Delivery, InContext<DeliveryFact>>(evolveDelivery);

const requestAgain = [requested(1), requested(2), requested(3)];
/** An attempt of a cycle with the number that it got when it began, before any attempt was recorded. */
const attemptOf = (cycle: number) => succeeded({ cycle, number: 1 });
const ids = [0, 1, 2, 3].map((cycle) => attemptOf(cycle).value).flatMap(attemptIdIn);

function attemptIdIn(value: object): readonly string[] {
  return 'attemptId' in value && typeof value.attemptId === 'string' ? [value.attemptId] : [];
}

describe('the numbers of attempts', () => {
  it('are different for the attempts of cycles that overlap', () => {
    const { after } = given(...requestAgain).when(...[0, 2, 1, 3].map(attemptOf));

    expect([after?.attemptCount, ids.map((id) => after && attemptNumberOf(after, id))]).to.deep.equal([
      4,
      [1, 3, 2, 4],
    ]);
  });

  it('continue after the attempts that an earlier version has counted', () => {
    const { after } = given(attemptOf(0)).when();
    const { attemptIds: _ids, ...converted } = after ?? expect.fail();
    const next = evolveDelivery({ ...converted, attemptCount: 3 }, attemptOf(1));

    expect([next.attemptCount, ids.map((id) => attemptNumberOf(next, id))]).to.deep.equal([
      4,
      [null, 4, null, null],
    ]);
  });

  it('are known of the last thousand attempts', () => {
    const attemptIds = Array.from({ length: 1002 }, (_, index) => testIdentifier('att', index));
    const { after } = given(requested(1)).when();
    const state = attemptIds.reduce(withAttempt, after ?? expect.fail());

    expect([
      state.attemptIds?.length,
      state.attemptCount,
      [0, 1, 2, 1001].map((index) => attemptNumberOf(state, attemptIds[index] ?? '')),
    ]).to.deep.equal([1000, 1002, [null, null, 3, 1002]]);
  });
});
