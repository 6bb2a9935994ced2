import { expect } from 'chai';

import { createAccessTokens } from '../../../consumers/oauth/accessTokens.js';
import type { RequestToken } from '../../../consumers/oauth/requestToken.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import type { OAuthClient } from '../../../shared/domain/webhooks/authentication.js';

const client: OAuthClient = {
  type: 'oauth2_client_credentials',
  tokenUrl: 'https://login.example.com/token',
  clientId: 'shop',
  clientSecret: 'planted-secret',
};
const failure = { code: 'auth_failed', message: 'The token server answered with 500' } as const;

type Result = Awaited<ReturnType<RequestToken>>;

/** Tokens whose requests a test answers, and whose clock a test sets. */
function tokens(capacity = 10) {
  let time = 0;
  const requests: { answer: (result: Result) => Promise<void>; fail: (error: Error) => Promise<void> }[] = [];
  const accessTokens = createAccessTokens({
    requestToken: () =>
      new Promise((resolve, reject) => {
        requests.push({
          answer: async (result) => {
            resolve(result);
            await settled();
          },
          fail: async (error) => {
            reject(error);
            await settled();
          },
        });
      }),
    now: () => time,
    capacity,
  });
  return {
    requests,
    obtain: (owner = 'wh_1/0') => accessTokens.obtain(owner, client, 15_000),
    drop: (token: string) => {
      accessTokens.drop('wh_1/0', token);
    },
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
    /** Obtains the first token, which lives for this time. */
    first: async (lifeMs: number | null) => {
      const token = accessTokens.obtain('wh_1/0', client, 15_000);
      await requests[0]?.answer({ value: 'first', lifeMs });
      return token;
    },
  };
}

/** Runs the callbacks of promises that are settled already. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

describe('the token of a webhook', () => {
  it('is requested once by attempts at the same time', async () => {
    const { obtain, requests } = tokens();
    const waiting = [obtain(), obtain(), obtain()];
    await requests[0]?.answer({ value: 'first', lifeMs: 3_600_000 });

    expect(await Promise.all(waiting)).to.deep.equal(['first', 'first', 'first']);
    expect(await obtain()).to.equal('first');
    expect(requests).to.have.lengthOf(1);
  });

  it('belongs to its webhook and version alone', async () => {
    const { obtain, requests, first } = tokens();
    await first(3_600_000);
    const another = obtain('wh_1/1');
    await requests[1]?.answer({ value: 'of version 1', lifeMs: 3_600_000 });

    expect(await another).to.equal('of version 1');
    expect(await obtain()).to.equal('first');
  });

  for (const [lifeMs, reserveMs] of [
    [3_600_000, 360_000],
    [120_000, 30_000],
    [40_000, 20_000],
    [null, 30_000],
  ] as const) {
    it(`is replaced in the background if it lives for ${String(lifeMs)} ms`, async () => {
      const { obtain, requests, pass, first } = tokens();
      await first(lifeMs);
      pass((lifeMs ?? 300_000) - reserveMs - 1);
      expect(await obtain()).to.equal('first');
      expect(requests).to.have.lengthOf(1);

      pass(1);
      expect(await Promise.all([obtain(), obtain()])).to.deep.equal(['first', 'first']);
      expect(requests).to.have.lengthOf(2);
      await requests[1]?.answer({ value: 'second', lifeMs });
      expect(await obtain()).to.equal('second');
    });
  }

  it('stays in use until shortly before its end if its replacement fails', async () => {
    const { obtain, requests, pass, first } = tokens();
    await first(120_000);
    pass(100_000);
    await obtain();
    await requests[1]?.answer(failure);
    expect(await obtain()).to.equal('first');
    expect(requests).to.have.lengthOf(2);

    pass(14_999);
    expect(await obtain()).to.equal('first');
    await requests[2]?.answer(failure);
    pass(1);
    expect(await obtain()).to.deep.equal(failure);
  });

  it('fails all waiting attempts if its request fails, and further ones for a second', async () => {
    const { obtain, requests, pass } = tokens();
    const waiting = [obtain(), obtain()];
    await requests[0]?.answer(failure);
    expect(await Promise.all(waiting)).to.deep.equal([failure, failure]);

    pass(999);
    expect(await obtain()).to.deep.equal(failure);
    expect(requests).to.have.lengthOf(1);

    pass(1);
    const next = obtain();
    await requests[1]?.answer({ value: 'second', lifeMs: 60_000 });
    expect(await next).to.equal('second');
  });

  it('is requested again at once after a fault of the egress proxy', async () => {
    const { obtain, requests } = tokens();
    const waiting = obtain().catch((error: unknown) => error);
    await requests[0]?.fail(new UnavailableError('the egress proxy is at fault'));
    expect(await waiting).to.be.instanceOf(UnavailableError);

    const next = obtain();
    await requests[1]?.answer({ value: 'second', lifeMs: 60_000 });
    expect(await next).to.equal('second');
  });

  it('is dropped if the webhook rejects it, unless it was replaced', async () => {
    const { obtain, drop, requests, pass, first } = tokens();
    await first(3_600_000);
    pass(1_000);
    drop('another');
    expect(await obtain()).to.equal('first');

    drop('first');
    const next = obtain();
    await requests[1]?.answer({ value: 'second', lifeMs: 3_600_000 });
    drop('first');
    expect([await next, await obtain()]).to.deep.equal(['second', 'second']);
  });

  it('stays in use for a second if the webhook rejects each token', async () => {
    const { obtain, drop, requests, pass, first } = tokens();
    await first(3_600_000);
    pass(999);
    drop('first');
    const reused = obtain();
    expect(requests).to.have.lengthOf(1);
    expect(await reused).to.equal('first');

    pass(1);
    drop('first');
    void obtain();
    await requests[1]?.answer({ value: 'second', lifeMs: 3_600_000 });
    drop('second');
    void obtain();
    expect(requests).to.have.lengthOf(2);
  });

  it('is forgotten if more webhooks than the bound have one', async () => {
    const { obtain, requests, first } = tokens(2);
    await first(3_600_000);
    void obtain('wh_2/0');
    void obtain('wh_3/0');
    void obtain();

    expect(requests).to.have.lengthOf(4);
  });
});
