import { expect } from 'chai';

import { createTtlCache } from '../../../api/authentication/ttlCache.js';

const known = { id: 'known' };

describe('the TTL cache', () => {
  let asked: string[];
  let befores: unknown[];
  let now: number;
  let lookups: ReturnType<typeof createTtlCache<typeof known>>;
  beforeEach(() => {
    asked = [];
    befores = [];
    now = 0;
    lookups = createTtlCache(
      (key, before) => {
        asked.push(key);
        befores.push(before);
        return Promise.resolve(key === 'known' ? known : null);
      },
      () => now,
    );
  });

  it('retains a hit after any number of misses', async () => {
    await lookups.find('known');
    for (let number = 0; number <= 10_000; number += 1) {
      await lookups.find(`unknown ${number}`);
    }
    await lookups.find('known');
    expect(asked.filter((key) => key === 'known')).to.have.length(1);
  });

  it('contains a key that was found, also after its value has expired', async () => {
    await lookups.find('known');
    now = 60_000;
    expect(lookups.isKnown('known')).to.equal(true);
  });

  it('contains a key that was not found, for 200 ms', async () => {
    await lookups.find('unknown');
    const atOnce = lookups.isKnown('unknown');
    now = 200;
    expect([atOnce, lookups.isKnown('unknown')]).to.deep.equal([true, false]);
  });

  it('contains a key whose lookup is in flight', () => {
    void lookups.find('unknown');
    expect(lookups.isKnown('unknown')).to.equal(true);
  });

  it('passes the earlier value of a key to its next lookup', async () => {
    await lookups.find('known');
    now = 500;
    await lookups.find('known');
    expect(befores).to.deep.equal([null, known]);
  });
});
