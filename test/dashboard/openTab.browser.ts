import { expect } from 'chai';

import { watchOpenTab } from './support/openTab.js';

/** The short form of test/chaos/openTab.chaos.ts, with a fast clock of the page. */
describe('a tab with the overview that stays open for 10 minutes of its clock', function () {
  this.timeout(300_000);

  it('shows trouble, an unreachable service and the recovery from both, and no good state meanwhile', async () => {
    expect(await watchOpenTab({ phaseMs: 75_000, secondMs: 50 })).to.deep.equal([]);
  });
});
