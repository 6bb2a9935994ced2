import { expect } from 'chai';

import { createArrivalLog, type ArrivalLog } from '../../../bench/receiver/arrivalLog.js';

describe('the log of arrivals', () => {
  let log: ArrivalLog;

  beforeEach(() => {
    log = createArrivalLog();
    log.add(0, 10, 1);
    log.add(0, 12, 2);
    log.add(0, 10, 3);
    log.add(1, 11, 4);
  });

  it('counts each event in a range once', () => {
    expect(log.count({ webhook: 0, first: 10, count: 5 })).to.equal(2);
  });

  it('records the first arrival of each event', () => {
    const { arrivedAt } = log.arrivals({ webhook: 0, first: 10, count: 3 });
    expect([...arrivedAt]).to.deep.equal([1, NaN, 2]);
  });

  it('counts repeated requests', () => {
    expect(log.arrivals({ webhook: 0, first: 10, count: 3 }).repeated).to.equal(1);
  });

  it('separates webhooks', () => {
    expect(log.count({ webhook: 1, first: 10, count: 3 })).to.equal(1);
  });
});
