import { expect } from 'chai';

import { milliseconds } from '../../../../shared/domain/core/duration.js';

describe('milliseconds', () => {
  const durations = { '250ms': 250, '15s': 15_000, '2m': 120_000, '12h': 43_200_000, '90d': 7_776_000_000 };
  for (const [text, expected] of Object.entries(durations)) {
    it(`reads ${text}`, () => {
      expect(milliseconds(text)).to.equal(expected);
    });
  }

  for (const text of ['', '15', 's', '15 s', '1.5s', '-1s', '15s ', ' 15s', '15w', '15S', 'xs']) {
    it(`reads nothing from "${text}"`, () => {
      expect(milliseconds(text)).to.equal(null);
    });
  }
});
