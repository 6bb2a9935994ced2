import { expect } from 'chai';

import { createTimeTexts } from '../../../dashboard/components/timeZone.js';

const moment = new Date('2026-11-21T23:02:11.000Z');

describe('the times in the dashboard', () => {
  it('name their zone, and the year unless it is the current year', () => {
    const { short, minute, zoneText } = createTimeTexts('utc');
    expect([
      zoneText,
      short(moment, moment),
      short(moment, new Date('2027-01-01T00:00:00Z')),
      minute(moment),
    ]).to.deep.equal(['UTC', '21 Nov, 23:02:11 UTC', '21 Nov 2026, 23:02:11 UTC', '21 Nov, 23:02 UTC']);
  });

  for (const zone of ['utc', 'local'] as const) {
    it(`survive a field of a form (${zone})`, () => {
      const { field, ofField } = createTimeTexts(zone);
      expect(ofField(field(moment))?.toISOString()).to.equal('2026-11-21T23:02:00.000Z');
      expect(ofField('')).to.equal(null);
    });
  }
});
