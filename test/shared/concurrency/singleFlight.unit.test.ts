import { expect } from 'chai';

import { singleFlight } from '../../../shared/concurrency/singleFlight.js';

describe('singleFlight', () => {
  function counted() {
    let runs = 0;
    const call = singleFlight(async () => {
      runs += 1;
      const run = runs;
      await Promise.resolve();
      if (run === 2) {
        throw new Error('the second run fails');
      }
      return run;
    });
    return call;
  }

  it('returns the result of one run to concurrent callers', async () => {
    const call = counted();
    expect(await Promise.all([call(), call(), call()])).to.deep.equal([1, 1, 1]);
  });

  it('runs again for a caller after the end of a run, whether the run has succeeded or failed', async () => {
    const call = counted();
    const results = [await call(), await call().catch(String), await call()];
    expect(results).to.deep.equal([1, 'Error: the second run fails', 3]);
  });
});
