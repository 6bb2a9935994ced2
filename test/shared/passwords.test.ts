import { scryptSync } from 'node:crypto';

import { expect } from 'chai';

import { UnavailableError } from '../../shared/errors.js';
import { createPasswords } from '../../shared/passwords.js';

const password = 'correct horse battery staple';

describe('shared/passwords', () => {
  const { hash, matches } = createPasswords();
  let stored: string;
  before(async () => {
    stored = await hash(password);
  });

  it('keeps a hash with its salt and its cost, as OWASP asks for them', () => {
    const [, algorithm, cost, salt = '', key] = stored.split('$');
    const expected = scryptSync(password, Buffer.from(salt, 'base64'), 32, {
      N: 2 ** 15,
      r: 8,
      p: 3,
      maxmem: 2 ** 26,
    });
    expect([algorithm, cost, key]).to.deep.equal([
      'scrypt',
      'ln=15,r=8,p=3',
      expected.toString('base64').replace('=', ''),
    ]);
  });

  it('has another salt for each', async () => {
    expect(await hash(password)).not.to.equal(stored);
  });

  it('knows the password', async () => {
    expect(await matches(password, stored)).to.equal(true);
  });

  it('knows it also where it was typed in another way of Unicode', async () => {
    expect(await matches('caf\u0065\u0301 au lait', await hash('caf\u00e9 au lait'))).to.equal(true);
  });

  it('knows another one from it', async () => {
    expect(await matches(`${password} `, stored)).to.equal(false);
  });

  it('takes nothing for the password of nobody', async () => {
    expect([await matches('', null), await matches('\0'.repeat(32), null)]).to.deep.equal([false, false]);
  });

  it('goes by the cost that stands in the hash, so that it can be raised', async () => {
    const salt = Buffer.alloc(16, 1);
    const key = scryptSync(password, salt, 32, { N: 2 ** 10, r: 4, p: 1 });
    const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
    expect(await matches(password, `$scrypt$ln=10,r=4,p=1$${text(salt)}$${text(key)}`)).to.equal(true);
  });

  it('refuses what would wait for too long', async () => {
    const cheap = `$scrypt$ln=1,r=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;
    const all = await Promise.allSettled(Array.from({ length: 100 }, () => matches(password, cheap)));
    const refused = all.filter(
      (result) => result.status === 'rejected' && result.reason instanceof UnavailableError,
    );
    expect([refused.length, await matches(password, cheap)]).to.deep.equal([68, false]);
  });
});
