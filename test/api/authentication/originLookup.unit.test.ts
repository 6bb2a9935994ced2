import { expect } from 'chai';

import { createFailedKeyLimit } from '../../../api/authentication/apiKeyLookup.js';
import { createOriginLookup, type OriginLookup } from '../../../api/authentication/originLookup.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { accountOf } from '../support/members.js';

const listed = 'https://shop.example.com';
const network = () => '192.0.2.1';

describe('the lookup of origins', () => {
  let now: number;
  let reads: number;
  let isAvailable: boolean;
  let origins: readonly string[];
  let lookup: OriginLookup;
  beforeEach(() => {
    now = 0;
    reads = 0;
    isAvailable = true;
    origins = [listed];
    const elapsedMs = () => now;
    lookup = createOriginLookup({
      accounts: {
        findPage: ({ ranges: [range] }) => {
          reads += 1;
          const found = origins.includes(String(range?.filter['portal.origins'])) ? [accountOf(1)] : [];
          return isAvailable ? Promise.resolve(found) : Promise.reject(new UnavailableError('no MongoDB'));
        },
      },
      failedOriginLimit: createFailedKeyLimit(elapsedMs),
      elapsedMs,
    });
  });

  const isListed = (origin: string) => lookup.isListed(origin, network);

  it('finds an origin that an account lists', async () => {
    expect([await isListed(listed), await isListed('https://other.example.com')]).to.deep.equal([
      true,
      false,
    ]);
  });

  it('finds an origin no longer half a second after its removal', async () => {
    await isListed(listed);
    origins = [];
    now = 499;
    const before = await isListed(listed);
    now = 500;
    expect([before, await isListed(listed)]).to.deep.equal([true, false]);
  });

  it('reads nothing for a text that no account can list', async () => {
    const texts = ['null', '*', 'http://shop.example.com', `${listed}/`, 'https://*.example.com'];
    expect([await Promise.all(texts.map(isListed)), reads]).to.deep.equal([texts.map(() => false), 0]);
  });

  it('gives the last answer while the accounts cannot be read', async () => {
    await isListed(listed);
    isAvailable = false;
    now = 1000;
    expect([await isListed(listed), await isListed('https://other.example.com')]).to.deep.equal([
      true,
      false,
    ]);
  });

  it('limits the lookups of unlisted origins of a network', async () => {
    for (let count = 0; count < 150; count += 1) {
      await isListed(`https://shop-${String(count)}.example.com`);
    }
    expect([reads, await isListed(listed), await lookup.isListed(listed, () => '192.0.2.2')]).to.deep.equal([
      100,
      false,
      true,
    ]);
  });

  it('does not limit the lookups of a listed origin', async () => {
    await isListed(listed);
    for (let count = 0; count < 150; count += 1) {
      await isListed(`https://shop-${String(count)}.example.com`);
    }
    now = 600;
    expect(await isListed(listed)).to.equal(true);
  });
});
