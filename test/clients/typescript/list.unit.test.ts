import { expect } from 'chai';

import {
  InvalidResponseError,
  Postrider,
  type ListEventsParameters,
} from '../../../clients/typescript/src/index.js';
import { rejectionOf } from './rejectionOf.js';

type Pages = Readonly<Record<string, object>>;

/** A client whose service has these pages, by their queries. */
function clientWith(pages: Pages): Postrider {
  return new Postrider('sk_test_1', {
    fetch: (url) => {
      const { search } = new URL(url);
      const page = pages[search];
      return page === undefined
        ? Promise.reject(new TypeError(`there is no page ${search}`))
        : Promise.resolve(Response.json(page));
    },
  });
}

const pageOf = (ids: readonly string[], hasMore: boolean) => ({ data: ids.map((id) => ({ id })), hasMore });

async function idsOf(pages: Pages, parameters?: ListEventsParameters): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { id } of clientWith(pages).events.list(parameters)) {
    ids.push(id);
  }
  return ids;
}

describe('a list', () => {
  it('gives every item, from page to page, with the same filters', async () => {
    const pages = {
      '?limit=2&type=a&type=b.*': pageOf(['5', '4'], true),
      '?limit=2&type=a&type=b.*&startingAfter=4': pageOf(['3', '2'], true),
      '?limit=2&type=a&type=b.*&startingAfter=2': pageOf(['1'], false),
    };
    expect(await idsOf(pages, { limit: 2, type: ['a', 'b.*'] })).to.deep.equal(['5', '4', '3', '2', '1']);
  });

  it('goes towards newer items from endingBefore, oldest first', async () => {
    const pages = {
      '?endingBefore=1': pageOf(['3', '2'], true),
      '?endingBefore=3': pageOf(['5', '4'], false),
    };
    expect(await idsOf(pages, { endingBefore: '1' })).to.deep.equal(['2', '3', '4', '5']);
  });

  it('continues a search where it has ended, also after an empty page', async () => {
    const searched = { from: null, to: null, complete: false };
    const pages = {
      '?search=abc': { ...pageOf([], true), searched: { ...searched, cursor: '7' } },
      '?search=abc&startingAfter=7': { ...pageOf(['6'], true), searched: { ...searched, cursor: '4' } },
      '?search=abc&startingAfter=4': pageOf(['2'], false),
    };
    expect(await idsOf(pages, { search: 'abc' })).to.deep.equal(['6', '2']);
  });

  it('gives one page if it is awaited, and the next one on request', async () => {
    const first = await clientWith({
      '': pageOf(['2'], true),
      '?startingAfter=2': pageOf(['1'], false),
    }).events.list();
    const second = await first.next();
    expect([first.data, first.hasMore, second?.data, await second?.next()]).to.deep.equal([
      [{ id: '2' }],
      true,
      [{ id: '1' }],
      null,
    ]);
  });

  it('ends with an error instead of going round in circles', async () => {
    const circle = { '': pageOf(['1'], true), '?startingAfter=1': pageOf(['1'], true) };
    for (const pages of [circle, { '': pageOf([], true) }, { '': { id: 'evt_1' } }]) {
      expect(await rejectionOf(idsOf(pages))).to.be.instanceOf(InvalidResponseError);
    }
  });
});
