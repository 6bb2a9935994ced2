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

describe('shared/domain/signInLink', () => {
  it('keeps the hash of the token alone', () => {
    const { token, link } = createSignInLink(bytes, null, start);
    expect([token, link.hash]).to.deep.equal([bytes.toString('base64url'), hashOfToken(token)]);
  });

  for (const [whom, given, lifetime] of [
    ['one who is new', null, 168],
    ['one who has never signed in', { password: null }, 168],
    ['one who has a password', { password: { hash: 'hash', id: 'record' } }, 24],
  ] as const) {
    it(`holds for ${String(lifetime)} hours for ${whom}`, () => {
      expect(createSignInLink(bytes, given, start).link.expiresAt).to.deep.equal(hours(lifetime));
    });
  }

  it('finds whose a link is', () => {
    expect(userOfLink({ users: [user] }, hashOfToken('token'), hours(0.9))).to.equal(user);
  });

  it('finds nobody for a link from the moment on at which it expires', () => {
    expect(userOfLink({ users: [user] }, hashOfToken('token'), hours(1))).to.equal(null);
  });

  it('finds nobody for another token, or the hash itself', () => {
    const found = ['other', user.link?.hash ?? ''].map((token) =>
      userOfLink({ users: [user, { ...user, link: null }] }, hashOfToken(token), start),
    );
    expect(found).to.deep.equal([null, null]);
  });

  for (const publicUrl of ['https://example.com', 'https://example.com/']) {
    it(`puts the token where it reaches no server, below ${publicUrl}`, () => {
      expect(signInUrl(publicUrl, 'abc')).to.equal('https://example.com/dashboard/link#token=abc');
    });
  }
});
