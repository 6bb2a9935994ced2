import { expect } from 'chai';

import { dueTime } from '../../../dashboard/components/timeText.js';

const now = new Date('2026-11-21T12:00:00.000Z');

describe('the text of a time at which something is due', () => {
  for (const [seconds, text] of [
    [240, 'in 4 min.'],
    [3, 'now'],
    [-30, 'now'],
    [-180, 'due 3 min. ago'],
  ] as const) {
    it(`is “${text}” ${seconds} seconds from now`, () => {
      expect(dueTime(new Date(now.getTime() + seconds * 1000), now)).to.equal(text);
    });
  }
});
