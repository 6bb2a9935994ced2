import { expect } from 'chai';

import { readPastMoment } from '../../../cli/terminal/arguments.js';

describe('a point in time of the past', () => {
  it('is a time or an age, and never in the future', () => {
    expect(readPastMoment('2026-11-21').toISOString()).to.equal('2026-11-21T00:00:00.000Z');
    expect(readPastMoment('2h').getTime()).to.be.below(Date.now());
    expect(() => readPastMoment('2999-01-01')).to.throw(/2999-01-01T00:00:00.000Z is in the future/);
  });
});
