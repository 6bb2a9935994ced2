import { expect } from 'chai';

import { lifeLimits, lossAt } from '../../../../cli/developer/listen/lifeSigns.js';

describe('a connection', () => {
  const at = 1_000_000;
  const lossAfter = (sinceLook: number, sinceLife: number) =>
    lossAt({ lookedAt: at - sinceLook, aliveAt: at - sinceLife }, at, lifeLimits);

  it('is alive between two heartbeats of the service', () => {
    expect(lossAfter(1000, 17_000)).to.equal(null);
  });

  it('is lost if a heartbeat is missing', () => {
    expect(lossAfter(1000, 31_000)).to.contain('heartbeat');
  });

  it('is lost if the process did not run, even if it was alive just before, or the clock was set back', () => {
    expect(lossAfter(60_000, 60_000)).to.contain('suspended');
    expect(lossAfter(-60_000, -60_000)).to.contain('suspended');
  });
});
