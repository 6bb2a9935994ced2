import { expect } from 'chai';

import { nothingCounted } from '../../../../shared/domain/deliveries/deliveryCounts.js';
import {
  countsOfParts,
  slicesOf,
  statsDocumentId,
  statsDocumentsWithin,
} from '../../../../shared/store/models/statsDocuments.js';

const series = { accountId: 'acct_1', mode: 'live', name: 'all' } as const;
const at = new Date('2026-05-05T10:01:30Z');
const dayMs = 86_400_000;

describe('The documents of stats', () => {
  it('contain the partitions of one number, and a span of time finds those of all partitions', () => {
    const { _id } = statsDocumentsWithin(series, 'minute', {
      start: at.getTime(),
      end: at.getTime() + 60_000,
    });
    const ids = [0, 9, 11].map((partition) => statsDocumentId(series, 'minute', at, partition));
    const later = statsDocumentId(series, 'minute', new Date('2026-05-05T11:00:00Z'), 0);
    const isFound = (id: string) => id >= _id.$gte && id < _id.$lt;

    expect([new Set(ids).size, [...ids, later].map(isFound)]).to.deep.equal([3, [true, true, true, false]]);
  });

  it('contain the time of each part', () => {
    const minutes = { _id: statsDocumentId(series, 'minute', at, 11), positions: {} };
    const hours = { _id: statsDocumentId(series, 'hour', at, 11), positions: {} };
    const times = [
      ...countsOfParts({ ...minutes, parts: { '1': nothingCounted } }, 'minute'),
      ...countsOfParts({ ...hours, parts: { '10': nothingCounted } }, 'hour'),
    ].map(([start]) => new Date(start).toISOString());

    expect(times).to.deep.equal(['2026-05-05T10:01:00.000Z', '2026-05-05T10:00:00.000Z']);
  });

  it('are read in slices of 32 days, which together are the whole span', () => {
    const span = { start: at.getTime(), end: at.getTime() + 70 * dayMs };
    const slices = slicesOf(span, 'hour');

    expect([
      slices.map(({ start, end }) => (end - start) / dayMs),
      slices[0]?.start,
      slices[2]?.end,
    ]).to.deep.equal([[32, 32, 6], span.start, span.end]);
  });
});
