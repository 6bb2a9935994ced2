import { expect } from 'chai';

import { isApiError } from '../../../../api/http/apiError.js';
import { statsRange, type BucketSize } from '../../../../api/resources/stats/statsRange.js';

const now = new Date('2026-11-21T11:30:15.500Z');

/** The start of the first bucket, the end of the last one, and their number. Or the error and its parameter. */
function ranged(bucket: BucketSize, from?: string, to?: string): string {
  const range = statsRange(
    { bucket, ...(from && { from: new Date(from) }), ...(to && { to: new Date(to) }) },
    now,
  );
  return isApiError(range)
    ? `${range.errorCode} ${String(range.param)}`
    : [range.start, range.end].map((time) => new Date(time).toISOString()).join(' ') +
        ` ${(range.end - range.start) / range.bucketMs}`;
}

describe('the time range of statistics', () => {
  it('is by default the last hour for buckets of a minute', () => {
    expect(ranged('minute')).to.equal('2026-11-21T10:30:00.000Z 2026-11-21T11:31:00.000Z 61');
  });

  it('is by default the last 24 hours for buckets of an hour', () => {
    expect(ranged('hour')).to.equal('2026-11-20T11:00:00.000Z 2026-11-21T12:00:00.000Z 25');
  });

  it('is by default the last 30 days for buckets of a day', () => {
    expect(ranged('day')).to.equal('2026-10-22T00:00:00.000Z 2026-11-22T00:00:00.000Z 31');
  });

  it('is unchanged if it consists of whole buckets', () => {
    expect(ranged('hour', '2026-11-21T09:00:00Z', '2026-11-21T11:00:00Z')).to.equal(
      '2026-11-21T09:00:00.000Z 2026-11-21T11:00:00.000Z 2',
    );
  });

  it('is extended to the buckets of both ends', () => {
    expect(ranged('minute', '2026-11-21T09:00:59.999Z', '2026-11-21T09:01:00.001Z')).to.equal(
      '2026-11-21T09:00:00.000Z 2026-11-21T09:02:00.000Z 2',
    );
  });

  it('has at most 1,500 buckets', () => {
    expect(ranged('minute', '2026-11-20T09:00:00Z', '2026-11-21T10:00:00Z')).to.match(/ 1500$/);
  });

  for (const [from, to, apiError] of [
    ['2026-11-20T09:00:00Z', '2026-11-21T10:00:00.001Z', 'parameter_invalid bucket'],
    ['0001-01-01T00:00:00Z', '9999-12-31T00:00:00Z', 'parameter_invalid bucket'],
    ['2026-11-21T10:00:00Z', '2026-11-21T10:00:00Z', 'parameter_invalid from'],
    ['2026-11-21T10:00:00Z', '2026-11-21T09:00:00Z', 'parameter_invalid from'],
    ['2026-11-21T11:30:15.500Z', undefined, 'parameter_invalid from'],
  ] as const) {
    it(`is rejected from ${from} to ${String(to)}`, () => {
      expect(ranged('minute', from, to)).to.equal(apiError);
    });
  }
});
