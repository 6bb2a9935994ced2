import process from 'node:process';

import { expect } from 'chai';
import { z } from 'zod';

import { findBrokenPromise } from '../schedules/check.js';

const { SCHEDULES: runs, SCHEDULES_SEED: seed } = z
  .object({
    SCHEDULES: z.coerce.number().int().positive().default(200_000),
    /** The seed of the schedules, which is printed with the result, so that a run can be repeated. */
    SCHEDULES_SEED: z.coerce
      .number()
      .int()
      .default(Date.now() % 2 ** 31),
  })
  .parse(process.env);

describe(`the deliveries in ${runs} schedules`, function () {
  this.timeout(3 * 60 * 60 * 1000);

  it(`keep the promises of the service (seed ${seed})`, async () => {
    const finding = await findBrokenPromise({ runs, seed, isShortened: true });
    expect(finding, finding?.text).to.equal(null);
  });
});
