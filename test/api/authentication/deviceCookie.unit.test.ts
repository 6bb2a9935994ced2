import { randomBytes } from 'node:crypto';

import { expect } from 'chai';

import { createDeviceCookie } from '../../../api/authentication/deviceCookie.js';

const user = { id: 'usr_01M7YDPTQM04NT3X3AX52TZD0R', email: 'ada@example.com' };
const dayMs = 24 * 60 * 60 * 1000;

function open({ keys = [randomBytes(32)], isSecure = false } = {}) {
  let now = new Date('2026-11-24T08:00:00Z');
  const cookie = createDeviceCookie({
    encryptionKeys: keys.map((bytes, index) => ({ id: `k${index}`, bytes })),
    isSecure,
    clock: () => now,
    randomBytes,
  });
  const given = () => cookie.give(user).split(';')[0] ?? '';
  const wait = (milliseconds: number) => {
    now = new Date(now.getTime() + milliseconds);
  };
  return { cookie, given, wait };
}

describe('the device cookie', () => {
  it('names the user to whom it was given', () => {
    const { cookie, given } = open();
    expect(cookie.read(`a=b; ${given()}`, user.email)?.userId).to.equal(user.id);
  });

  it('has another id for each sign-in', () => {
    const { cookie, given } = open();
    expect(cookie.read(given(), user.email)?.id).not.to.equal(cookie.read(given(), user.email)?.id);
  });

  it('is hidden from scripts, and other sites do not send it', () => {
    expect(
      open()
        .cookie.give(user)
        .replace(/=[^;]+;/, '=…;'),
    ).to.equal('postrider_device=…; Max-Age=15552000; Path=/; HttpOnly; SameSite=Strict');
  });

  it('is sent over https alone if the public URL is https', () => {
    expect(open({ isSecure: true }).cookie.give(user)).to.match(/^__Host-postrider_device=.*; Secure$/);
  });

  it('is invalid for another email address', () => {
    const { cookie, given } = open();
    expect(cookie.read(given(), 'eve@example.com')).to.equal(null);
  });

  it('is invalid after 180 days', () => {
    const { cookie, given, wait } = open();
    const value = given();
    wait(180 * dayMs - 1000);
    const before = cookie.read(value, user.email);
    wait(2000);
    expect([before?.userId, cookie.read(value, user.email)]).to.deep.equal([user.id, null]);
  });

  it('is invalid if any character of it was changed', () => {
    const { cookie, given } = open();
    const value = given();
    const start = value.indexOf('=') + 1;
    const changed = Array.from({ length: value.length - start }, (_, index) => {
      const place = start + index;
      return `${value.slice(0, place)}${value[place] === '1' ? '2' : '1'}${value.slice(place + 1)}`;
    });
    expect(changed.filter((each) => cookie.read(each, user.email) !== null)).to.deep.equal([]);
  });

  it('is valid as long as the key that signed it is configured', () => {
    const [old, next] = [randomBytes(32), randomBytes(32)];
    const value = open({ keys: [old] }).given();
    const [rotated, removed] = [open({ keys: [next, old] }), open({ keys: [next] })];
    expect([
      rotated.cookie.read(value, user.email)?.userId,
      removed.cookie.read(value, user.email),
    ]).to.deep.equal([user.id, null]);
  });

  it('is not found in a request without cookies, or with an invalid one', () => {
    const { cookie } = open();
    expect([cookie.read(undefined, user.email), cookie.read('postrider_device=x', user.email)]).to.deep.equal(
      [null, null],
    );
  });
});
