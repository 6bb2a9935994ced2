import { expect } from 'chai';
import fc from 'fast-check';

import { createSecretBox, type EncryptionKey } from '../../../shared/security/secretBox.js';
import { itHolds } from '../../support/itHolds.js';

const first: EncryptionKey = { id: 'first', bytes: Buffer.alloc(32, 1) };
const second: EncryptionKey = { id: 'second', bytes: Buffer.alloc(32, 2) };

const box = createSecretBox([first]);
const secret = Buffer.from('a signing secret of 32 bytes ...');

const anyBytes = fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes));

describe('A secret box', () => {
  itHolds('opens any secret for its owner', [anyBytes, fc.string()], (bytes, owner) => {
    expect(box.open(box.seal(bytes, owner), owner)).to.deep.equal(bytes);
  });

  itHolds('opens a secret for no other owner', [fc.string(), fc.string()], (owner, other) => {
    fc.pre(owner !== other);

    expect(box.open(box.seal(secret, owner), other)).to.equal(null);
  });

  it('opens no secret with a changed bit', () => {
    const { key, sealed } = box.seal(secret, 'wh_1');
    const bytes = Buffer.from(sealed, 'base64');
    fc.assert(
      fc.property(fc.nat(bytes.length * 8 - 1), (bit) => {
        const changed = Buffer.from(bytes);
        changed[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));

        expect(box.open({ key, sealed: changed.toString('base64') }, 'wh_1')).to.equal(null);
      }),
      { numRuns: 100 },
    );
  });

  it('opens no truncated secret', () => {
    const { key, sealed } = box.seal(secret, 'wh_1');
    const bytes = Buffer.from(sealed, 'base64');
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), (length) => {
        const cut = bytes.subarray(0, length).toString('base64');

        expect(box.open({ key, sealed: cut }, 'wh_1')).to.equal(null);
      }),
    );
  });

  it('opens no secret of an unknown key', () => {
    const sealed = createSecretBox([second]).seal(secret, 'wh_1');

    expect(box.open(sealed, 'wh_1')).to.equal(null);
  });

  it('opens no secret with another key of the same name', () => {
    const sealed = createSecretBox([{ ...second, id: 'first' }]).seal(secret, 'wh_1');

    expect(box.open(sealed, 'wh_1')).to.equal(null);
  });

  it('seals with the first of its keys', () => {
    expect(createSecretBox([second, first]).seal(secret, 'wh_1').key).to.equal('second');
  });

  it('opens with any of its keys', () => {
    const both = createSecretBox([second, first]);

    expect(
      [first, second].map((key) => both.open(createSecretBox([key]).seal(secret, 'wh_1'), 'wh_1')),
    ).to.deep.equal([secret, secret]);
  });

  it('seals the same secret differently each time', () => {
    expect(box.seal(secret, 'wh_1').sealed).to.not.equal(box.seal(secret, 'wh_1').sealed);
  });

  it('does not reveal the secret', () => {
    const bytes = Buffer.from(box.seal(secret, 'wh_1').sealed, 'base64');

    expect(bytes.includes(secret.subarray(0, 8))).to.equal(false);
  });

  it('fails to seal without a key', () => {
    expect(() => createSecretBox([]).seal(secret, 'wh_1')).to.throw(
      'POSTRIDER_ENCRYPTION_KEYS contains no encryption key',
    );
  });
});
