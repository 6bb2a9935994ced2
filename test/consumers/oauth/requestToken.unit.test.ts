import { expect } from 'chai';

import { noResponse } from '../../../consumers/http/exchange.js';
import { createRequestToken } from '../../../consumers/oauth/requestToken.js';

/** The result of a request for a token that the server answers with a 200 and this JSON. */
function resultOf(issued: object) {
  const response = noResponse({ code: 'timeout', message: '' });
  const answer = { ...response, statusCode: 200, error: null };
  const request = createRequestToken(() =>
    Promise.resolve({ ...answer, responseBody: Buffer.from(JSON.stringify(issued)) }),
  );
  const client = { tokenUrl: 'https://login.example.com/token', clientId: 'shop', clientSecret: 'planted' };
  return request({ type: 'oauth2_client_credentials', ...client }, 5_000);
}

const idToken = (claims: object) =>
  ['{"alg":"RS256"}', JSON.stringify(claims), 'signature']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');

describe('an issued token', () => {
  const good = { access_token: 'token-1', token_type: 'Bearer' };

  for (const [what, more, lifeMs] of [
    ['the id token of another issuer', { id_token: idToken({ iss: 'https://a', sub: '1' }) }, null],
    ['a lifetime of null', { expires_in: null }, null],
    ['a negative lifetime', { expires_in: -1 }, null],
    ['a lifetime that is no number', { expires_in: 'soon' }, null],
    ['a lifetime as a text', { expires_in: '60' }, 60_000],
    ['a refresh token of null', { refresh_token: null, expires_in: 60 }, 60_000],
    ['a list of scopes', { scope: ['a', 'b'], expires_in: 0.5 }, 500],
  ] as const) {
    it(`works with ${what}`, async () => {
      expect(await resultOf({ ...good, ...more })).to.deep.equal({ value: 'token-1', lifeMs });
    });
  }

  for (const [what, issued] of [
    ['its type', { access_token: 'token-1' }],
    ['the token', { token_type: 'bearer' }],
  ] as const) {
    it(`needs ${what}`, async () => {
      expect(await resultOf(issued)).to.have.property('code', 'auth_failed');
    });
  }
});
