import { expect } from 'chai';

import type { Delivery } from '../../../../shared/domain/deliveries/delivery.js';
import { evolveDelivery } from '../../../../shared/domain/deliveries/evolveDelivery.js';
import type { DeliveryFact } from '../../../../shared/domain/deliveries/deliveryFacts.js';
import { canceled, failed, failedForGood, requested, testEventId } from '../../../support/deliveryFacts.js';
import { contextOf, scenario, testIdentifier, testRecordId, type InContext } from '../../../support/facts.js';

const { given } = scenario<Delivery, InContext<DeliveryFact>>(evolveDelivery);

describe('evolveDelivery: the fields of the cycle', () => {
  it('contain the lowest and the highest number of its attempts', () => {
    const { after } = given(failedForGood({ number: 1 }), requested(1)).when(
      failed({ number: 2, cycle: 1 }),
      failed({ number: 3, cycle: 1 }),
    );

    expect(after).to.include({ attemptCount: 3, firstNumber: 2, lastNumber: 3 });
  });

  it('contain an attempt whose number a late attempt of the cycle before also has', () => {
    const { after } = given(failed(), requested(1)).when(
      failed({ number: 2, cycle: 0 }),
      failedForGood({ number: 2, cycle: 1, statusCode: 503 }),
    );

    expect(after).to.include({ status: 'failed', statusCode: 503, attemptCount: 3, lastNumber: 2 });
  });

  it('contain no attempt of an older cycle', () => {
    const { after } = given(requested(1)).when(failed({ number: 2, cycle: 0 }));

    expect(after).to.include({ attemptCount: 1, firstNumber: null, lastNumber: 0 });
  });

  it('contain the attempts after a cancelation too', () => {
    expect(given(canceled()).when(failed({ number: 1 })).after).to.include({ firstNumber: 1, lastNumber: 1 });
  });

  it('contain the highest epoch of its facts', () => {
    const { after } = given(failed({ epoch: 1 })).when(
      failed({ number: 2, epoch: 2 }),
      failed({ number: 3, epoch: 1 }),
    );

    expect(after?.epoch).to.equal(2);
  });

  it('contain no epoch of the cycle before', () => {
    const { after } = given(failed({ epoch: 4 })).when(failed({ number: 2, cycle: 1, epoch: 3 }));

    expect(after?.epoch).to.equal(3);
  });

  it('contain the request of its start', () => {
    const { after } = given(failedForGood()).when(requested(1), {
      ...requested(1),
      context: contextOf(testEventId, { id: testRecordId(7) }),
    });

    expect(after?.requestId).to.equal(requested(1).context.id);
  });

  it('contain no request of the cycle before', () => {
    const { after } = given(requested(1)).when(failed({ number: 1, cycle: 2 }));

    expect(after?.requestId).to.equal(null);
  });

  it('contain the replay that requested it', () => {
    const replayId = testIdentifier('rpl');
    const { after } = given(failedForGood()).when(failed({ number: 2, cycle: 1, replayId }));

    expect(after?.replayId).to.equal(replayId);
  });
});
