import { expect } from 'chai';

import { accountFilter } from '../../../api/http/ownership.js';
import fc from 'fast-check';

import { isApiError } from '../../../api/http/apiError.js';
import {
  pageOf,
  pageQuery,
  paginate,
  rangeOf,
  type ListPosition,
  type Selection,
} from '../../../api/http/paging.js';

const place: ListPosition = { created: new Date(5), id: 'wh_5' };
const filter = accountFilter({ accountId: 'acct_1', mode: 'live' });
const selection: Selection = { filter, index: { created: -1 } };
const known = (id: string) => Promise.resolve(id === place.id ? place : null);

describe('the paging of lists', () => {
  describe('the range of a request', () => {
    it('begins with the newest resource if there is no cursor', async () => {
      expect(await rangeOf({ limit: 3 }, known)).to.deep.equal({ limit: 3, direction: 'older', place: null });
    });

    it('continues with older resources after startingAfter', async () => {
      const range = await rangeOf({ limit: 3, startingAfter: 'wh_5' }, known);
      expect(range).to.deep.equal({ limit: 3, direction: 'older', place });
    });

    it('continues with newer resources before endingBefore', async () => {
      const range = await rangeOf({ limit: 3, endingBefore: 'wh_5' }, known);
      expect(range).to.deep.equal({ limit: 3, direction: 'newer', place });
    });

    it('rejects both cursors together', async () => {
      const range = await rangeOf({ limit: 3, startingAfter: 'wh_5', endingBefore: 'wh_5' }, known);
      expect(isApiError(range) && range.errorCode).to.equal('parameter_invalid');
    });

    for (const cursor of ['startingAfter', 'endingBefore']) {
      it(`rejects a ${cursor} that was never in the list`, async () => {
        const range = await rangeOf({ limit: 3, [cursor]: 'wh_9' }, known);
        expect(isApiError(range) && [range.errorCode, range.param]).to.deep.equal(['cursor_invalid', cursor]);
      });
    }
  });

  it('reads at most one mebibyte, in the share of the account', () => {
    const query = pageQuery(selection, { limit: 3, direction: 'older', place: null });
    expect(query).to.include({ limit: 3, maximumBytes: 1024 * 1024, share: 'acct_1' });
  });

  it('combines the filter with the cursor', () => {
    const { ranges } = pageQuery(selection, { limit: 3, direction: 'older', place });
    expect(ranges.map(({ filter }) => filter)).to.deep.equal([
      { $and: [filter, { created: place.created, _id: { $lt: place.id } }] },
      { $and: [filter, { created: { $lt: place.created } }] },
    ]);
  });

  it('shows a page of newer resources newest first', () => {
    const found = { documents: [6, 7], hasMore: true };
    expect(pageOf(found, { direction: 'newer' })).to.deep.equal({ items: [7, 6], hasMore: true });
  });

  it('reports more resources if and only if they exist', () => {
    const places = fc.uniqueArray(fc.integer(), { maxLength: 120 });
    fc.assert(
      fc.property(places, fc.integer({ min: 1, max: 100 }), (times, limit) => {
        const all = times.map((time) => ({ created: new Date(time), id: `wh_${String(time)}` }));
        const page = paginate(all, { limit, direction: 'older', place: null });
        expect([page.items.length, page.hasMore]).to.deep.equal([
          Math.min(limit, all.length),
          all.length > limit,
        ]);
      }),
    );
  });
});
