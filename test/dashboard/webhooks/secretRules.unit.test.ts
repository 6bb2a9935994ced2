import { expect } from 'chai';
import fc from 'fast-check';

import { faultOfSecret } from '../../../dashboard/webhooks/secretRules.js';
import { importedSecret } from '../../../shared/domain/webhooks/signature.js';
import { itHolds } from '../../support/itHolds.js';

const keys = fc
  .uint8Array({ minLength: 20, maxLength: 70 })
  .map((key) => Buffer.from(key).toString('base64'));
const texts = fc.oneof(
  keys,
  keys.map((key) => `whsec_${key}`),
  keys.map((key) => key.slice(0, -1)),
  fc.string(),
);

describe('the secret of another system in the form of a webhook', () => {
  itHolds('is accepted exactly if the API accepts it', [texts], (text) => {
    fc.pre(text === text.trim() && text !== '');

    expect(faultOfSecret(text) === null).to.equal(importedSecret(text) !== null);
  });

  it('may be left out', () => {
    expect(faultOfSecret(' ')).to.equal(null);
  });
});
