import { expect } from 'chai';

import { toBinary } from '../../../../shared/store/client/binary.js';
import {
  canonicalText,
  differingFields,
  hashOf,
} from '../../../../shared/store/entries/canonicalDocument.js';

const document = {
  _id: 'evt_1',
  created: new Date(1000),
  data: toBinary(Buffer.from('{"a":1}')),
  deliveries: [{ status: 'delivered', attemptCount: 1, error: null }],
};

describe('The canonical text of a document', () => {
  it('is the same whatever the order of fields, at any depth', () => {
    const { _id, created, data } = document;
    const turned = {
      deliveries: [{ error: null, attemptCount: 1, status: 'delivered' }],
      data,
      created,
      _id,
    };
    expect(canonicalText(turned)).to.equal(canonicalText(document));
  });

  const others: readonly [string, unknown][] = [
    ['a text', { ...document, _id: 'evt_2' }],
    ['a time', { ...document, created: new Date(1001) }],
    ['bytes', { ...document, data: toBinary(Buffer.from('{"a":2}')) }],
    ['the type of a value', { ...document, created: 'date 1000' }],
    ['a missing field', { _id: 'evt_1' }],
    ['a null in place of a missing field', { ...document, type: null }],
    ['the order of a list', { ...document, deliveries: [null, ...document.deliveries] }],
  ];
  for (const [what, other] of others) {
    it(`differs if ${what} differs`, () => {
      expect(canonicalText(other)).not.to.equal(canonicalText(document));
    });
  }

  it('shows the fields that differ, including those of one document alone', () => {
    const changed = { ...document, created: new Date(2000), type: 'a' };
    expect(differingFields(document, changed)).to.deep.equal(['created', 'type']);
  });

  it('has a hash of 64 bits', () => {
    expect(hashOf('a')).to.equal(0xca978112ca1bbdcan);
  });
});
