import { expect } from 'chai';
import fc from 'fast-check';

import { everyTenant, isTenantId } from '../../../../shared/domain/tenants/tenantId.js';

describe('isTenantId', () => {
  it('is true for 1 to 128 letters, digits and _ . : - in any order, if the text is not reserved', () => {
    const anyId = fc
      .stringMatching(/^[A-Za-z0-9_.:-]{1,128}$/)
      .filter((text) => !['null', '.', '..'].includes(text));
    fc.assert(fc.property(anyId, isTenantId));
  });

  it('is false for a text with any other character', () => {
    const withOther = fc
      .tuple(
        fc.string({ unit: 'binary' }),
        fc.stringMatching(/^[^A-Za-z0-9_.:-]$/),
        fc.string({ unit: 'binary' }),
      )
      .map((parts) => parts.join(''));
    fc.assert(fc.property(withOther, (text) => !isTenantId(text)));
  });

  for (const text of ['', 'x'.repeat(129), 'null', everyTenant, '.', '..', 'a\n', 'a/b', 'é']) {
    it(`is false for ${JSON.stringify(text)}`, () => {
      expect(isTenantId(text)).to.equal(false);
    });
  }

  for (const text of ['a', 'x'.repeat(128), 'Null', '...', 'customer-42', 'org:7_b.c', '-']) {
    it(`is true for ${JSON.stringify(text)}`, () => {
      expect(isTenantId(text)).to.equal(true);
    });
  }
});
