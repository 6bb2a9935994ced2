import { expect } from 'chai';

import { filtersOf, isFiltered, queryOf } from '../../../dashboard/events/eventFilters.js';

const now = new Date('2026-11-21T12:00:00.000Z');

function queryAt(address: string) {
  return queryOf(filtersOf(new URLSearchParams(address)), now);
}

describe('the filters of events', () => {
  it('request what the address selects', () => {
    expect(queryAt('type=a,b%20c&status=failed&webhook=wh_1&after=evt_1')).to.deep.equal({
      type: ['a', 'b', 'c'],
      deliveryStatus: 'failed',
      webhookId: 'wh_1',
      startingAfter: 'evt_1',
    });
  });

  it('request custom times in UTC', () => {
    expect(queryAt('within=own&since=2026-11-20T10:00:00%2B02:00&until=2026-11-21')).to.deep.equal({
      createdGte: '2026-11-20T08:00:00.000Z',
      createdLt: '2026-11-21T00:00:00.000Z',
    });
  });

  it('request a time span up to now, and ignore other times then', () => {
    expect(queryAt('within=day&until=2026-11-21')).to.deep.equal({ createdGte: '2026-11-20T12:00:00.000Z' });
  });

  it('ignore invalid values in the address', () => {
    expect(queryAt('status=lost&within=year&since=yesterday')).to.deep.equal({});
  });

  it('are inactive if the address selects only a page', () => {
    const isFilteredBy = (address: string) => isFiltered(filtersOf(new URLSearchParams(address)));
    expect([isFilteredBy('after=evt_1&within=own'), isFilteredBy('within=hour')]).to.deep.equal([
      false,
      true,
    ]);
  });
});
