import { expect } from 'chai';

import { brokenParts } from './brokenParts.js';
import { findBrokenPromise } from './check.js';

describe('deliveries in any schedule', () => {
  for (const { fault, seed, variant } of brokenParts) {
    it(`would break a promise within 500 schedules if a part ${fault}`, async () => {
      const finding = await findBrokenPromise({ runs: 500, seed, isShortened: false }, variant);
      expect(finding).not.to.equal(null);
    });
  }
});
