import { expect } from 'chai';

import { watchOpenTab } from '../dashboard/support/openTab.js';

const phaseMs = 75_000;

describe('a tab with the overview that stays open for 10 minutes', function () {
  this.timeout(900_000);

  it('shows trouble, an unreachable service and the recovery from both, and no good state meanwhile', async () => {
    expect(await watchOpenTab({ phaseMs, secondMs: 1000 })).to.deep.equal([]);
  });
});
