import { expect } from 'chai';

import { auditFaults, auditQuery, isAuditFiltered } from '../../../dashboard/audit/auditFilters.js';

const now = new Date('2026-11-21T12:00:00.000Z');

function queryAt(address: string) {
  return auditQuery(new URLSearchParams(address), now);
}

describe('the filters of the audit log in the dashboard', () => {
  it('request what the address selects', () => {
    expect(queryAt('actor=key_1&action=webhook.*&resource=wh_1&within=day&after=01')).to.deep.equal({
      actorId: 'key_1',
      action: 'webhook.*',
      resourceId: 'wh_1',
      createdGte: '2026-11-20T12:00:00.000Z',
      startingAfter: '01',
    });
  });

  it('request custom times in UTC', () => {
    expect(queryAt('within=own&since=2026-11-20T10:00:00%2B02:00&until=2026-11-21')).to.deep.equal({
      createdGte: '2026-11-20T08:00:00.000Z',
      createdLt: '2026-11-21T00:00:00.000Z',
    });
  });

  it('name the invalid values and the unknown names in the address, and request nothing for them', () => {
    const address = 'action=everything&since=yesterday&who=key_1';
    expect(queryAt(address)).to.deep.equal({});
    expect(auditFaults(new URLSearchParams(address))).to.deep.equal(address.split('&'));
  });

  it('are inactive if the address selects only a page', () => {
    expect(
      ['after=01', 'action=event.resent'].map((address) => isAuditFiltered(new URLSearchParams(address))),
    ).to.deep.equal([false, true]);
  });
});
