import { expect } from 'chai';
import fc from 'fast-check';

import { readQuery } from '../../../api/http/route.js';

describe('the parser of the query', () => {
  const cases: readonly [text: string, expected: Record<string, unknown>][] = [
    ['', {}],
    ['a=1', { a: '1' }],
    ['a=1&b=2', { a: '1', b: '2' }],
    ['a=1&a=2', { a: ['1', '2'] }],
    ['a=1&a=2&a=3', { a: ['1', '2', '3'] }],
    ['a', { a: '' }],
    ['=1', { '': '1' }],
    ['a=%20+b', { a: '  b' }],
    ['a=%ZZ', { a: '%ZZ' }],
    ['constructor=1', { constructor: '1' }],
  ];
  for (const [text, expected] of cases) {
    it(`parses "${text}"`, () => {
      expect({ ...readQuery(text) }).to.deep.equal(expected);
    });
  }

  it('treats __proto__ like any other name', () => {
    expect(Object.keys(readQuery('__proto__=1'))).to.deep.equal(['__proto__']);
  });

  it('returns every parameter that was encoded', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(fc.dictionary(text, text), (parameters) => {
        expect(readQuery(new URLSearchParams(parameters).toString())).to.deep.equal({ ...parameters });
      }),
    );
  });
});
