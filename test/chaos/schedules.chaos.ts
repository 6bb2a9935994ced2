import process from 'node:process';

import { expect } from 'chai';

import { findBrokenPromise } from '../schedules/check.js';

/** Printed with the result, so that a run can be repeated. */
const seed = Number(process.env['SCHEDULES_SEED'] ?? Date.now() % 2 ** 31);
const runs = Number(process.env['SCHEDULES'] ?? 200_000);

describe('deliveries in 200,000 schedules', function () {
  this.timeout(3 * 60 * 60 * 1000);

  it(`keep their promises (seed ${seed})`, async () => {
    const finding = await findBrokenPromise({ runs, seed, isShortened: true });
    expect(finding, finding?.text).to.equal(null);
  });
});
