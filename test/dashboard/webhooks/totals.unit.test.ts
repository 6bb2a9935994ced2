import { expect } from 'chai';

import { isolatedIndexes } from '../../../dashboard/plots/plotLine.js';
import { seriesOf } from '../../../dashboard/plots/series.js';
import { rateText } from '../../../dashboard/webhooks/totals.js';

describe('the success rate in the dashboard', () => {
  it('is never 100 % if an attempt failed', () => {
    expect(rateText(1_000_000, 1)).to.equal('99.99 %');
  });

  it('is 100 % if no attempt failed, and a dash without attempts', () => {
    expect([rateText(3, 0), rateText(0, 0), rateText(0, 3)]).to.deep.equal(['100 %', '–', '0 %']);
  });
});

describe('the series of a chart', () => {
  it('has a place for each bucket of the range, also for empty ones', () => {
    const bucket = {
      start: '2026-11-21T14:01:00.000Z',
      events: 1,
      succeeded: 1,
      failed: 0,
      p50Ms: 1,
      p95Ms: 1,
      p99Ms: 1,
      byStatusCode: {},
    };
    const from = new Date('2026-11-21T14:00:30.000Z');
    const to = new Date('2026-11-21T14:02:30.000Z');
    const series = seriesOf([bucket], from, to, 60_000);
    expect(series.buckets).to.deep.equal([null, bucket, null]);
    expect(series.starts.map((start) => new Date(start * 1000).toISOString().slice(14, 19))).to.deep.equal([
      '00:00',
      '01:00',
      '02:00',
    ]);
  });
});

describe('a line of a chart', () => {
  it('has a point for each value without neighbors', () => {
    expect(isolatedIndexes([1, null, 2, 3, undefined, 4])).to.deep.equal([0, 5]);
    expect(isolatedIndexes([null, 7, null])).to.deep.equal([1]);
  });
});
