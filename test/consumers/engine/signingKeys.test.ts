import { expect } from 'chai';

import { createSigningKeys } from '../../../consumers/engine/signingKeys.js';
import type { SigningSecrets } from '../../../shared/domain/webhooks/signingSecrets.js';
import { createSecretBox } from '../../../shared/security/secretBox.js';
import { start } from '../../support/facts.js';

const box = createSecretBox([{ id: 'test', bytes: Buffer.alloc(32, 7) }]);
const current = Buffer.from('current');
const rotated = Buffer.from('rotated');

const secretsOf = (webhookId: string): SigningSecrets => [
  { secret: box.seal(current, webhookId), expiresAt: null },
  { secret: box.seal(rotated, webhookId), expiresAt: new Date(start.getTime() + 1000) },
];

describe('signing keys', () => {
  let now = start;
  let opened = 0;
  const signingKeys = createSigningKeys({
    secrets: {
      ...box,
      open: (sealed, owner) => {
        opened += 1;
        return box.open(sealed, owner);
      },
    },
    clock: () => now,
  });

  beforeEach(() => {
    now = start;
    opened = 0;
  });

  it('are all secrets that are valid', () => {
    expect(signingKeys({ id: 'wh_1', secrets: secretsOf('wh_1') })).to.deep.equal([current, rotated]);
  });

  it('are opened once for a state of the webhook', () => {
    const webhook = { id: 'wh_1', secrets: secretsOf('wh_1') };
    signingKeys(webhook);
    signingKeys(webhook);
    expect(opened).to.equal(2);
  });

  it('leave out a secret as soon as it has expired, opened or not', () => {
    const webhook = { id: 'wh_1', secrets: secretsOf('wh_1') };
    signingKeys(webhook);
    now = new Date(start.getTime() + 1000);
    expect(signingKeys(webhook)).to.deep.equal([current]);
  });

  it('are refused where no encryption key opens a secret', () => {
    const foreign = { id: 'wh_1', secrets: secretsOf('wh_2') };
    expect(() => signingKeys(foreign)).to.throw('the secret of wh_1 cannot be opened');
  });
});
