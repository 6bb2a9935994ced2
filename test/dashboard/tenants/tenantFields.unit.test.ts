import { expect } from 'chai';

import {
  faultOfId,
  fieldsOf,
  inputOf,
  metadataText,
  tenantTitle,
} from '../../../dashboard/tenants/tenantFields.js';
import { faultOfMetadata } from '../../../dashboard/components/metadataEntries.js';

describe('the form of a tenant', () => {
  it('shows the fields of a tenant, and sends them unchanged', () => {
    const tenant = { name: 'Acme', metadata: { plan: 'gold', 'a.b': '' } };
    expect(inputOf(fieldsOf(tenant))).to.deep.equal(tenant);
  });

  it('sends no name for an empty text, and no entry for an empty line', () => {
    expect(inputOf({ name: '  ', metadata: [{ key: '', value: '' }] })).to.deep.equal({
      name: null,
      metadata: {},
    });
  });

  it('keeps a key that objects inherit', () => {
    const metadata = [{ key: '__proto__', value: 'x' }];
    expect(Object.entries(inputOf({ name: '', metadata }).metadata)).to.deep.equal([['__proto__', 'x']]);
  });

  it('rejects a value without a key, and a key that occurs twice', () => {
    const entry = (key: string, value = 'x') => ({ key, value });
    expect(
      [[entry('')], [entry('a'), entry('b'), entry('a')], [entry('a'), entry('b')], []].map(faultOfMetadata),
    ).to.deep.equal([
      'Enter a key for each value.',
      'The key “a” occurs twice. Remove one of the lines.',
      null,
      null,
    ]);
  });

  for (const id of ['', 'a b', 'a/b', '*', 'null', '.', '..', 'x'.repeat(129), 'é']) {
    it(`rejects the id "${id.slice(0, 10)}"`, () => {
      expect(faultOfId(id)).to.be.a('string');
    });
  }

  for (const id of ['customer-42', 'a:b.c_d', 'NULL', '...', 'x'.repeat(128)]) {
    it(`accepts the id "${id.slice(0, 12)}"`, () => {
      expect(faultOfId(id)).to.equal(null);
    });
  }

  it('shows metadata in one line', () => {
    expect(metadataText({ plan: 'gold', region: 'eu' }).split(', ')).to.deep.equal([
      'plan: gold',
      'region: eu',
    ]);
  });

  it('has the id as the title of a tenant whose name nobody could see', () => {
    const titles = ['Acme', null, '', ' \u00a0', '\u200b'].map((name) => tenantTitle({ id: 'acme', name }));
    expect(titles).to.deep.equal(['Acme', 'acme', 'acme', 'acme', 'acme']);
  });
});
