import { expect } from 'chai';

import {
  filterFaults,
  filtersOf,
  isFiltered,
  queryOf,
  soughtBy,
} from '../../../dashboard/events/eventFilters.js';

const now = new Date('2026-11-21T12:00:00.000Z');

function queryAt(address: string) {
  return queryOf(filtersOf(new URLSearchParams(address)), now);
}

describe('the filters of events', () => {
  it('request what the address selects', () => {
    expect(queryAt('type=a,b%20c&status=failed&webhook=wh_1&after=evt_1')).to.deep.equal({
      type: ['a', 'b', 'c'],
      deliveryStatus: ['failed'],
      webhookId: 'wh_1',
      startingAfter: 'evt_1',
    });
  });

  it('request the events of a tenant, the events without a tenant, and events by the result of their check', () => {
    expect(queryAt('tenant=acme&validation=invalid')).to.deep.equal({
      tenantId: 'acme',
      validation: 'invalid',
    });
    expect(queryAt('tenant=null&validation=unknown')).to.deep.equal({
      tenantId: 'null',
      validation: 'unknown',
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

  it('name the invalid values and the unknown names in the address', () => {
    const address =
      'status=lost&within=year&since=yesterday&type=a..b&stauts=failed&tenant=*&validation=valid';
    expect(queryAt(address)).to.deep.equal({});
    expect(filterFaults(new URLSearchParams(address))).to.deep.equal([
      'status=lost',
      'within=year',
      'since=yesterday',
      'type=a..b',
      'stauts=failed',
      'tenant=*',
      'validation=valid',
    ]);
  });

  it('accept patterns of types and every valid value', () => {
    const address = 'type=order.*&status=failed&within=quarter&webhook=wh_1&after=evt_1&live=1';
    expect(filterFaults(new URLSearchParams(address))).to.deep.equal([]);
    expect(queryAt('type=order.*')).to.deep.equal({ type: ['order.*'] });
  });

  it('are inactive if the address selects only a page', () => {
    const isFilteredBy = (address: string) => isFiltered(filtersOf(new URLSearchParams(address)));
    expect([isFilteredBy('after=evt_1&within=own'), isFilteredBy('within=hour')]).to.deep.equal([
      false,
      true,
    ]);
  });

  it('request the searched text, and name a text that the API would reject', () => {
    expect(queryAt('search=Ada%20Byron')).to.deep.equal({ search: 'Ada Byron' });
    expect(queryAt('search=ab')).to.deep.equal({});
    expect(filterFaults(new URLSearchParams('search=ab'))).to.deep.equal(['search=ab']);
  });

  for (const [entered, sought] of [
    ['', { kind: 'nothing' }],
    [' evt_01M7YDPVFCXGPKVZ39MTD48GR5 ', { kind: 'event', id: 'evt_01M7YDPVFCXGPKVZ39MTD48GR5' }],
    ['evt_01M7', { kind: 'text', text: 'evt_01M7' }],
    ['order.completed, order.*', { kind: 'types', text: 'order.completed order.*' }],
    ['signup', { kind: 'text', text: 'signup' }],
    ['ada@example.com', { kind: 'text', text: 'ada@example.com' }],
    ['Ada Byron', { kind: 'text', text: 'Ada Byron' }],
    ['日本語', { kind: 'text', text: '日本語' }],
  ] as const) {
    it(`understand the entered text "${entered}" as ${sought.kind}`, () => {
      expect(soughtBy(entered)).to.deep.equal(sought);
    });
  }

  it('reject a text that is too short or too long to search', () => {
    expect(['ab', 'x'.repeat(201)].map((entered) => soughtBy(entered).kind)).to.deep.equal([
      'invalid',
      'invalid',
    ]);
  });
});
