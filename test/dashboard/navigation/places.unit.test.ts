import { expect } from 'chai';

import { pageLinks } from '../../../dashboard/navigation/pageLinks.js';
import { addressOf, counterpart, modeOf, placeOf } from '../../../dashboard/navigation/places.js';

describe('places of the dashboard', () => {
  it('have the mode in their address', () => {
    expect(['/dashboard', '/dashboard/events', '/dashboard/tests'].map(modeOf)).to.deep.equal([
      'live',
      'live',
      'live',
    ]);
    expect(['/dashboard/test', '/dashboard/test/events'].map(modeOf)).to.deep.equal(['test', 'test']);
  });

  it('can be determined from their address', () => {
    for (const place of ['/', '/events', '/events/evt_1']) {
      expect(placeOf(addressOf('live', place))).to.equal(place);
      expect(placeOf(addressOf('test', place))).to.equal(place);
    }
  });

  it('have a counterpart in the other mode, which is the list for a single resource', () => {
    expect(counterpart('/dashboard/events/evt_1')).to.equal('/dashboard/test/events');
    expect(counterpart('/dashboard/test/webhooks')).to.equal('/dashboard/webhooks');
    expect(counterpart('/dashboard')).to.equal('/dashboard/test');
  });
});

describe('the links between the pages of a list', () => {
  const data = [{ id: 'b' }, { id: 'a' }];
  const address = '/dashboard/events?status=failed';
  const older = `${address}&after=a`;
  const newer = `${address}&before=b`;

  it('lead from the first page to older events, if there are any', () => {
    const cursors = { startingAfter: null, endingBefore: null };
    const none = { newest: null, newer: null };
    expect(pageLinks(address, { data, hasMore: true }, cursors)).to.deep.equal({ ...none, older });
    expect(pageLinks(address, { data, hasMore: false }, cursors)).to.deep.equal({ ...none, older: null });
  });

  it('lead back from an older page', () => {
    const cursors = { startingAfter: 'c', endingBefore: null };
    const from = `${address}&after=c`;
    expect(pageLinks(from, { data, hasMore: false }, cursors)).to.deep.equal({
      newest: address,
      newer,
      older: null,
    });
  });

  it('lead to older events from a page that was reached backwards', () => {
    const cursors = { startingAfter: null, endingBefore: 'c' };
    expect(pageLinks(`${address}&before=c`, { data, hasMore: false }, cursors)).to.deep.equal({
      newest: address,
      newer: null,
      older,
    });
  });

  it('continue at the cursor of a page that the API has ended early, also without any item', () => {
    const page = { data: [], hasMore: true, searched: { cursor: 'a' } };
    expect(pageLinks(address, page, { startingAfter: null, endingBefore: null }).older).to.equal(older);
    expect(pageLinks(address, { ...page, data }, { startingAfter: 'c', endingBefore: null })).to.deep.include(
      {
        newer,
        older,
      },
    );
    const backward = { ...page, searched: { cursor: 'b' } };
    expect(pageLinks(address, backward, { startingAfter: null, endingBefore: 'd' }).newer).to.equal(newer);
  });
});
