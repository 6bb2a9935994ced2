import { expect } from 'chai';
import fc from 'fast-check';

import type { ApiKey } from '../../../../shared/domain/accounts/account.js';
import {
  apiKeySecret,
  hasMaximumOfApiKeys,
  hashOfSecret,
  isApiKeySecret,
  isExpired,
  isLastFullKey,
  traceOfSecret,
} from '../../../../shared/domain/accounts/apiKey.js';
import { secondsLater, start, testIdentifier } from '../../../support/facts.js';
import { itHolds } from '../../../support/itHolds.js';

function keyOf(number: number, fields: Partial<ApiKey> = {}): ApiKey {
  return {
    id: testIdentifier('key', number),
    name: 'Server',
    mode: 'live',
    scopes: null,
    expiresAt: null,
    hash: '',
    prefix: 'sk_live_',
    last4: 'aB3d',
    created: start,
    ...fields,
  };
}

const now = secondsLater(60);
const first = keyOf(1);

describe('apiKeySecret', () => {
  it('encodes 32 bytes as 43 characters that need no quoting', () => {
    expect(apiKeySecret('live', Buffer.alloc(32, 0xfb))).to.match(/^sk_live_[\w-]{43}$/);
  });

  it('contains the mode', () => {
    expect(apiKeySecret('test', Buffer.alloc(32)).slice(0, 8)).to.equal('sk_test_');
  });
});

describe('isApiKeySecret', () => {
  itHolds(
    'is true for every secret that was created',
    [fc.constantFrom('live', 'test'), fc.uint8Array({ minLength: 32, maxLength: 32 })],
    (mode, bytes) => isApiKeySecret(apiKeySecret(mode, Buffer.from(bytes))),
  );

  const secret = apiKeySecret('live', Buffer.alloc(32, 0xfb));
  const others: readonly [what: string, text: string][] = [
    ['nothing', ''],
    ['a prefix alone', 'sk_live_'],
    ['a character less', secret.slice(0, -1)],
    ['a character more', `${secret}A`],
    ['a last character that 32 bytes cannot end with', `${secret.slice(0, -1)}B`],
    ['another mode', secret.replace('live', 'prod')],
    ['a character that is not in base64url', secret.replace('-', '+')],
    ['a line break at the end', `${secret}\n`],
    ['another secret behind it', `${secret} ${secret}`],
  ];
  for (const [what, text] of others) {
    it(`is false for ${what}`, () => {
      expect(isApiKeySecret(text)).to.equal(false);
    });
  }
});

describe('traceOfSecret', () => {
  it('contains a hash, the prefix and the last four characters', () => {
    const secret = 'sk_live_secret';
    expect(traceOfSecret('live', secret)).to.deep.equal({
      hash: hashOfSecret(secret),
      prefix: 'sk_live_',
      last4: 'cret',
    });
  });

  it('uses SHA-256, so that every version finds the same keys', () => {
    // NIST FIPS 180-2, appendix B.1.
    expect(hashOfSecret('abc')).to.equal('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('isExpired', () => {
  const times: readonly [what: string, expiresAt: Date | null, expired: boolean][] = [
    ['never without a time', null, false],
    ['not a millisecond before its time', new Date(now.getTime() + 1), false],
    ['from its time on', now, true],
    ['after its time', start, true],
  ];
  for (const [what, expiresAt, expired] of times) {
    it(what, () => {
      expect(isExpired({ expiresAt }, now)).to.equal(expired);
    });
  }
});

describe('isLastFullKey', () => {
  const others: readonly [what: string, other: ApiKey, isLast: boolean][] = [
    ['a full key of its mode', keyOf(2), false],
    ['one that expires later', keyOf(2, { expiresAt: secondsLater(61) }), false],
    ['one that has expired', keyOf(2, { expiresAt: now }), true],
    ['a scoped key', keyOf(2, { scopes: ['events:read'] }), true],
    ['a full key of the other mode', keyOf(2, { mode: 'test' }), true],
  ];
  for (const [what, other, isLast] of others) {
    it(`is ${isLast ? 'true' : 'false'} next to ${what}`, () => {
      expect(isLastFullKey({ apiKeys: [first, other] }, first, now)).to.equal(isLast);
    });
  }

  for (const fields of [{ scopes: ['events:read'] }, { expiresAt: now }] satisfies Partial<ApiKey>[]) {
    it(`is false for a key with ${Object.keys(fields).join()}`, () => {
      const key = keyOf(1, fields);
      expect(isLastFullKey({ apiKeys: [key] }, key, now)).to.equal(false);
    });
  }

  it('leaves a full key in each mode that had one, in whatever order all others are deleted', () => {
    const keys = ([1, 2, 3, 4, 5, 6, 7, 8] as const).map((number) =>
      keyOf(number, {
        mode: number % 2 === 0 ? 'live' : 'test',
        scopes: number > 5 ? ['events:read'] : null,
      }),
    );
    fc.assert(
      fc.property(fc.shuffledSubarray(keys, { minLength: keys.length }), (order) => {
        const left = order.reduce(
          (apiKeys, key) =>
            isLastFullKey({ apiKeys }, key, now) ? apiKeys : apiKeys.filter((one) => one !== key),
          keys,
        );
        expect(left.map(({ mode, scopes }) => [mode, scopes])).to.have.deep.members([
          ['live', null],
          ['test', null],
        ]);
      }),
    );
  });
});

describe('hasMaximumOfApiKeys', () => {
  const keys = Array.from({ length: 100 }, (_, index) => keyOf(index, { expiresAt: start }));

  it('is true with a hundred keys, including expired ones', () => {
    expect(hasMaximumOfApiKeys({ apiKeys: keys }, 'live')).to.equal(true);
  });

  it('is false with one key less', () => {
    expect(hasMaximumOfApiKeys({ apiKeys: keys.slice(1) }, 'live')).to.equal(false);
  });

  it('counts each mode separately', () => {
    expect(hasMaximumOfApiKeys({ apiKeys: keys }, 'test')).to.equal(false);
  });
});
