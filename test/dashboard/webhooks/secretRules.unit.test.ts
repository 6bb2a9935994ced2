import { expect } from 'chai';
import fc from 'fast-check';

import {
  faultOfImportedSecret,
  faultOfSecret,
  keyOfSecret,
} from '../../../dashboard/webhooks/secretRules.js';
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

describe('a signing secret that a user enters', () => {
  itHolds('is accepted exactly if the API accepts it, as the same key', [texts], (text) => {
    fc.pre(text === text.trim());

    const key = keyOfSecret(text);
    expect(key === null ? null : Buffer.from(key)).to.deep.equal(importedSecret(text));
    expect(faultOfSecret(text) === null).to.equal(key !== null);
  });

  it('may be left out only where the service creates a secret', () => {
    expect(faultOfImportedSecret(' ')).to.equal(null);
    expect(faultOfSecret(' ')).not.to.equal(null);
  });
});
