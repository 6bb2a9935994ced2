import { expect } from 'chai';

import { createTokenCache, type Token } from '../../../../shared/log/sasl/tokenCache.js';

describe('the token cache', () => {
  let now: number;
  let issued: number;
  let failure: Error | null;
  let tokenOf: () => Promise<Token>;
  beforeEach(() => {
    now = 1_000_000;
    issued = 0;
    failure = null;
    tokenOf = createTokenCache(
      () => {
        if (failure !== null) {
          return Promise.reject(failure);
        }
        issued += 1;
        return Promise.resolve({ value: `token ${issued}`, expiresAt: now + 100_000 });
      },
      () => now,
    );
  });

  const valueAfter = async (milliseconds: number) => {
    now += milliseconds;
    return (await tokenOf()).value;
  };

  it('obtains one token for concurrent connections', async () => {
    const tokens = await Promise.all([tokenOf(), tokenOf(), tokenOf()]);
    expect(tokens.map(({ value }) => value)).to.deep.equal(['token 1', 'token 1', 'token 1']);
  });

  it('reuses a token until a fifth of its validity remains, then obtains another one', async () => {
    expect([await valueAfter(0), await valueAfter(79_999), await valueAfter(1)]).to.deep.equal([
      'token 1',
      'token 1',
      'token 2',
    ]);
  });

  it('renews a token with a short validity 20 s before its expiry', async () => {
    const shortTokenOf = createTokenCache(
      () => {
        issued += 1;
        return Promise.resolve({ value: `token ${issued}`, expiresAt: now + 30_000 });
      },
      () => now,
    );
    await shortTokenOf();
    now += 9999;
    const second = await shortTokenOf();
    now += 1;
    expect([second.value, (await shortTokenOf()).value]).to.deep.equal(['token 1', 'token 2']);
  });

  it('uses a valid token while another one cannot be obtained', async () => {
    await tokenOf();
    failure = new Error('the endpoint is unavailable');
    expect(await valueAfter(99_999)).to.equal('token 1');
  });

  it('fails if no token is valid and none can be obtained', async () => {
    await tokenOf();
    failure = new Error('the endpoint is unavailable');
    now += 100_000;
    expect(await tokenOf().catch((error: unknown) => error)).to.equal(failure);
  });

  it('obtains a token once the cause of a failure has ended', async () => {
    failure = new Error('the endpoint is unavailable');
    await tokenOf().catch(() => null);
    failure = null;
    expect(await valueAfter(0)).to.equal('token 1');
  });
});
