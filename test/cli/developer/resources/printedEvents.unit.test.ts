import { expect } from 'chai';

import { createPrintedEvents } from '../../../../cli/developer/resources/printedEvents.js';

describe('the events that tail has printed', () => {
  it('are not printed again unless they have changed, and are forgotten one after the other', () => {
    const isNew = createPrintedEvents(2);
    const found = [
      isNew('evt_1', 'pending'),
      isNew('evt_1', 'pending'),
      isNew('evt_1', 'delivered'),
      isNew('evt_2', 'none'),
      isNew('evt_1', 'delivered'),
      isNew('evt_3', 'none'),
      isNew('evt_2', 'none'),
      isNew('evt_1', 'delivered'),
    ];
    expect(found).to.deep.equal([true, false, true, true, false, true, false, true]);
  });
});
