import { expect } from 'chai';
import fc from 'fast-check';

import { changesOf, withChanges } from '../../../../shared/domain/core/changes.js';

const before = { text: 'a', none: null, count: 1, time: new Date(5), list: ['a', 'b'] };
type Fields = Record<keyof typeof before, string | number | Date | readonly string[] | null>;

const anyValue = fc.constantFrom(null, '', 'a', '5', 1, 5, new Date(5), new Date(6), [], ['a'], ['b', 'a']);

describe('changesOf', () => {
  it('has the fields whose value differs, before and after', () => {
    expect(changesOf<Fields>(before, { text: 'b', none: 0, list: ['b', 'a'] })).to.deep.equal({
      text: { from: 'a', to: 'b' },
      none: { from: null, to: 0 },
      list: { from: ['a', 'b'], to: ['b', 'a'] },
    });
  });

  it('is empty if each field is left out, or has its present value', () => {
    const same = { ...before, time: new Date(5), list: ['a', 'b'], text: undefined };
    expect(changesOf<Fields>(before, same)).to.deep.equal({});
  });

  it('ignores what is no field', () => {
    expect(changesOf<Fields>(before, { ...before, ...{ status: 'active' } })).to.deep.equal({});
  });
});

describe('withChanges', () => {
  it('has the requested values, after which there is nothing to change', () => {
    const anyUpdate = fc.record({ text: anyValue, time: anyValue, list: anyValue }, { requiredKeys: [] });
    fc.assert(
      fc.property(anyUpdate, (update) => {
        const after = withChanges<Fields>(before, changesOf<Fields>(before, update));
        expect([after, changesOf(after, update)]).to.deep.equal([{ ...before, ...update }, {}]);
      }),
    );
  });
});
