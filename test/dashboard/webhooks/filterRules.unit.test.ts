import { expect } from 'chai';

import { changedFilter, faultOfFilter, filterText } from '../../../dashboard/webhooks/filterRules.js';

describe('the filter in the form of a webhook', () => {
  const filter = { data: { amount: { $gte: 100 } } };

  it('accepts an empty text and an object', () => {
    expect([faultOfFilter(' '), faultOfFilter(filterText(filter))]).to.deep.equal([null, null]);
  });

  for (const text of ['{', '[]', '1', 'null']) {
    it(`rejects ${text}`, () => {
      expect(faultOfFilter(text)).to.match(/^Enter a JSON object/);
    });
  }

  it('rejects more than 4 KiB', () => {
    expect(faultOfFilter(JSON.stringify({ id: 'a'.repeat(4096) }))).to.equal('A filter has at most 4 KiB.');
  });

  it('rejects a number that the browser would round, but not digits in a text', () => {
    expect(faultOfFilter('{"data":{"a":1234567890123456}}')).to.match(/at most 15 digits/);
    expect(faultOfFilter('{"data":{"a":"1234567890123456"}}')).to.equal(null);
  });

  it('leaves out a filter that did not change, and removes a filter with an empty text', () => {
    expect(changedFilter(filterText(filter), filter)).to.deep.equal({});
    expect(changedFilter('', filter)).to.deep.equal({ filter: null });
    expect(changedFilter('{"type":"a"}', null)).to.deep.equal({ filter: { type: 'a' } });
  });
});
