import { expect } from 'chai';

import { newsAfter } from '../../../dashboard/webhooks/troubleNews.js';

describe('the news of trouble', () => {
  it('are the webhooks whose trouble began after the first look, as long as it lasts', () => {
    const looks = [['a'], ['a', 'b'], ['a', 'b'], ['a'], ['a', 'b'], []].map((ids) => new Set(ids));
    const begun: string[][] = [];
    let news = newsAfter(null, new Set(['a']));
    for (const look of looks) {
      news = newsAfter(news, look);
      begun.push([...news.begun]);
    }
    expect(begun).to.deep.equal([[], ['b'], ['b'], [], ['b'], []]);
  });
});
