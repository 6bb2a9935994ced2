import { expect } from 'chai';
import fc from 'fast-check';

import { pageOf, pageQuery, rangeOf, type PageRange, type Place, type Selection } from '../../api/paging.js';
import { isRefusal } from '../../api/refusal.js';

const place: Place = { created: new Date(5), id: 'wh_5' };
const selection: Selection = { filter: { mode: 'live' }, index: { created: -1 } };
const known = (id: string) => Promise.resolve(id === place.id ? place : null);

describe('api/paging', () => {
  describe('the range of a request', () => {
    it('begins with the newest where there is no cursor', async () => {
      expect(await rangeOf({ limit: 3 }, known)).to.deep.equal({ limit: 3, direction: 'older', place: null });
    });

    it('goes to older ones behind startingAfter', async () => {
      const range = await rangeOf({ limit: 3, startingAfter: 'wh_5' }, known);
      expect(range).to.deep.equal({ limit: 3, direction: 'older', place });
    });

    it('goes to newer ones before endingBefore', async () => {
      const range = await rangeOf({ limit: 3, endingBefore: 'wh_5' }, known);
      expect(range).to.deep.equal({ limit: 3, direction: 'newer', place });
    });

    it('refuses both cursors at once', async () => {
      const range = await rangeOf({ limit: 3, startingAfter: 'wh_5', endingBefore: 'wh_5' }, known);
      expect(isRefusal(range) && range.refused).to.equal('parameter_invalid');
    });

    for (const cursor of ['startingAfter', 'endingBefore']) {
      it(`refuses a ${cursor} that never stood in the list`, async () => {
        const range = await rangeOf({ limit: 3, [cursor]: 'wh_9' }, known);
        expect(isRefusal(range) && [range.refused, range.param]).to.deep.equal(['cursor_invalid', cursor]);
      });
    }
  });

  it('asks for one more than it shows, to tell whether there are more', () => {
    expect(pageQuery(selection, { limit: 3, direction: 'older', place: null }).limit).to.equal(4);
  });

  it('keeps the filter beside the cursor', () => {
    const { ranges } = pageQuery(selection, { limit: 3, direction: 'older', place });
    expect(ranges.map(({ filter }) => filter)).to.deep.equal([
      { $and: [{ mode: 'live' }, { created: place.created, _id: { $lt: place.id } }] },
      { $and: [{ mode: 'live' }, { created: { $lt: place.created } }] },
    ]);
  });

  it('shows a page of newer ones newest first', () => {
    const range: PageRange = { limit: 2, direction: 'newer', place };
    expect(pageOf([6, 7, 8], range)).to.deep.equal({ items: [7, 6], hasMore: true });
  });

  it('says there is more only where there is', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 100 }), (found, limit) => {
        const page = pageOf(found.slice(0, limit + 1), { limit, direction: 'older', place: null });
        expect(page).to.deep.equal({ items: found.slice(0, limit), hasMore: found.length > limit });
      }),
    );
  });
});
