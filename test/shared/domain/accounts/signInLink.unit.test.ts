import { expect } from 'chai';

import {
  createSignInLink,
  hashOfToken,
  signInUrl,
  userOfLink,
} from '../../../../shared/domain/accounts/signInLink.js';
import type { User } from '../../../../shared/domain/accounts/user.js';
import { secondsLater, start } from '../../../support/facts.js';

const bytes = Buffer.alloc(32, 7);
const hours = (count: number) => secondsLater(count * 3600);
const user: User = {
  id: 'usr_1',
  email: 'ada@example.com',
  name: null,
  role: 'viewer',
  created: start,
  password: null,
  link: { hash: hashOfToken('token'), expiresAt: hours(1) },
};

describe('A sign-in link', () => {
  it('stores only the hash of the token', () => {
    const { token, link } = createSignInLink(bytes, null, start);
    expect([token, link.hash]).to.deep.equal([bytes.toString('base64url'), hashOfToken(token)]);
  });

  for (const [whom, given, lifetime] of [
    ['one who is new', null, 168],
    ['one who has never signed in', { password: null }, 168],
    ['one who has a password', { password: { hash: 'hash', id: 'record' } }, 24],
  ] as const) {
    it(`is valid for ${String(lifetime)} hours for ${whom}`, () => {
      expect(createSignInLink(bytes, given, start).link.expiresAt).to.deep.equal(hours(lifetime));
    });
  }

  it('identifies its user', () => {
    expect(userOfLink({ users: [user] }, hashOfToken('token'), hours(0.9))).to.equal(user);
  });

  it('identifies no user from the moment of its expiry', () => {
    expect(userOfLink({ users: [user] }, hashOfToken('token'), hours(1))).to.equal(null);
  });

  it('identifies no user by another token, or by the hash itself', () => {
    const found = ['other', user.link?.hash ?? ''].map((token) =>
      userOfLink({ users: [user, { ...user, link: null }] }, hashOfToken(token), start),
    );
    expect(found).to.deep.equal([null, null]);
  });

  for (const publicUrl of ['https://example.com', 'https://example.com/', 'https://example.com//']) {
    it(`puts the token where it reaches no server, below ${publicUrl}`, () => {
      expect(signInUrl(publicUrl, 'abc')).to.equal('https://example.com/dashboard/link#token=abc');
    });
  }
});
