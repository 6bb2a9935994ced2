import { expect } from 'chai';

import {
  authTextsOf,
  changedAuth,
  faultsOfAuth,
  noAuthFaults,
  type AuthTexts,
} from '../../../dashboard/webhooks/authRules.js';

const updated = '2026-11-21T06:46:40.628Z';
const oauth = {
  type: 'oauth2_client_credentials',
  tokenUrl: 'https://login.example.com/token',
  clientId: 'shop',
  updated,
} as const;

/** The fields with an error. */
function faulty(texts: AuthTexts) {
  return Object.entries(faultsOfAuth(texts)).flatMap(([place, fault]) => (fault === null ? [] : [place]));
}

describe('the authentication in the form of a webhook', () => {
  for (const stored of [null, { type: 'basic', updated }, oauth, { type: 'mtls', updated }] as const) {
    it(`stays as it is if no field of ${stored?.type ?? 'none'} changes`, () => {
      const texts = { ...authTextsOf(stored), token: 'of another type' };

      expect(faultsOfAuth(texts)).to.deep.equal(noAuthFaults);
      expect(changedAuth(texts)).to.deep.equal({});
    });
  }

  it('is removed by the choice of none', () => {
    expect(changedAuth({ ...authTextsOf(oauth), type: 'none' })).to.deep.equal({ auth: null });
  });

  it('has only the fields of the chosen type', () => {
    const texts = { ...authTextsOf(oauth), type: 'basic', username: 'shop', password: ' a ' } as const;

    expect(changedAuth(texts)).to.deep.equal({ auth: { type: 'basic', username: 'shop', password: ' a ' } });
  });

  it('needs the secrets again if another field changes', () => {
    const changed = { ...authTextsOf(oauth), scope: 'write' };
    expect(faulty(changed)).to.deep.equal(['auth.clientSecret']);
    expect(faulty({ ...authTextsOf({ type: 'basic', updated }), username: 'a' })).to.deep.equal([
      'auth.password',
    ]);

    const { type, tokenUrl, clientId } = oauth;
    const secret = { ...changed, clientSecret: 'a' };
    const sent = {
      type,
      tokenUrl,
      clientId,
      clientSecret: 'a',
      scope: 'write',
      clientAuthentication: 'basic',
    };
    expect([faulty(secret), changedAuth(secret)]).to.deep.equal([[], { auth: sent }]);
  });

  it('names the fields that are missing or wrong', () => {
    const texts = authTextsOf(null);
    expect(faulty({ ...texts, type: 'basic', username: 'a:b' })).to.deep.equal(['auth.username']);
    expect(faulty({ ...texts, type: 'bearer', token: 'a b' })).to.deep.equal(['auth.token']);
    expect(faulty({ ...texts, type: 'oauth2_client_credentials' })).to.deep.equal([
      'auth.tokenUrl',
      'auth.clientId',
      'auth.clientSecret',
    ]);
    expect(faulty({ ...texts, type: 'mtls' })).to.deep.equal(['auth.certificate', 'auth.privateKey']);
  });
});
