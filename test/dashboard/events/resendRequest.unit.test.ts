import { expect } from 'chai';

import { filtersOf } from '../../../dashboard/events/eventFilters.js';
import { matchingFault, onlyOptions, replayRequest } from '../../../dashboard/events/resendRequest.js';

const now = new Date('2026-11-21T12:00:00.000Z');

function matching(address: string) {
  return { kind: 'matching', filters: filtersOf(new URLSearchParams(address)) } as const;
}

describe('a resend from the list of events', () => {
  it('requests exactly the selected events', () => {
    const events = { kind: 'chosen', ids: ['evt_1', 'evt_2'] } as const;
    expect(replayRequest(events, 'wh_1', 'all', now)).to.deep.equal({
      webhookId: 'wh_1',
      only: 'all',
      eventIds: ['evt_1', 'evt_2'],
    });
  });

  it('requests all events that match the filters, in whole milliseconds before an exclusive end', () => {
    const address =
      'type=order.*&within=own&since=2026-11-20T00:00:00Z&until=2026-11-21T00:00:00Z&after=evt_1';
    expect(replayRequest(matching(address), 'wh_1', 'failed', now)).to.deep.equal({
      webhookId: 'wh_1',
      only: 'failed',
      types: ['order.*'],
      since: '2026-11-20T00:00:00.000Z',
      until: '2026-11-20T23:59:59.999Z',
    });
  });

  it('ends with the time at which the user asked', () => {
    expect(replayRequest(matching(''), 'wh_1', 'all', now)).to.include({
      since: '1970-01-01T00:00:00.000Z',
      until: now.toISOString(),
    });
  });

  for (const [status, only] of [
    ['failed', ['failed']],
    ['canceled', ['failed']],
    ['retrying', ['open']],
    ['pending', ['open']],
    ['', ['undelivered', 'all']],
  ] as const) {
    it(`offers the deliveries of the filter by status "${status}"`, () => {
      expect(onlyOptions(matching(`status=${status}`)).map(([each]) => each)).to.deep.equal(only);
    });
  }

  it('is not possible for all events that a filter selects which a replay does not have', () => {
    expect(
      ['search=abc', 'status=delivered', 'tenant=acme', 'validation=invalid', 'status=failed', ''].map(
        (address) => matchingFault(matching(address).filters) === null,
      ),
    ).to.deep.equal([false, false, false, false, true, true]);
  });
});
