import { scryptSync } from 'node:crypto';

import { expect } from 'chai';

import { UnavailableError } from '../../../shared/core/errors.js';
import { createPasswords } from '../../../shared/security/passwords.js';

const password = 'correct horse battery staple';
const network = '192.0.2.1';
/** A hash with minimal cost. */
const cheap = `$scrypt$ln=1,r=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

describe('Password hashes', () => {
  const { hash: hashFor, matches: matchesOf } = createPasswords({ ln: 12, r: 8, p: 1 });
  const hash = (text: string, sibling?: string) => hashFor(text, network, sibling);
  const matches = (text: string, hashes: readonly string[]) => matchesOf(text, hashes, network);
  let stored: string;
  before(async () => {
    stored = await hash(password);
  });

  it('contain their salt and their cost, as OWASP recommends', async () => {
    const text = await createPasswords({ ln: 15, r: 8, p: 3 }).hash(password, network);
    const [, algorithm, cost, salt = '', key] = text.split('$');
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

  it('have the salt of their sibling', async () => {
    expect(await hash(password, stored)).to.equal(stored);
  });

  it('have their own salt if the cost of their sibling is not the current one', async () => {
    expect((await hash(password, cheap)).split('$')[3])
      .to.have.length(22)
      .and.not.equal('A'.repeat(22));
  });

  it('match the password in any Unicode form', async () => {
    expect(await matches('caf\u0065\u0301 au lait', [await hash('caf\u00e9 au lait')])).to.deep.equal([true]);
  });

  it('match no password if there are none', async () => {
    expect(await matches('', [])).to.deep.equal([]);
  });

  it('have their own salts without a sibling, and each their own result', async () => {
    const [sibling, other] = [await hash('another password', stored), await hash(password)];
    expect(other).not.to.equal(stored);
    expect(await matches(password, [sibling, stored, cheap, other])).to.deep.equal([
      false,
      true,
      false,
      true,
    ]);
  });

  it('need one derivation for none, for one and for ten hashes of one user', async () => {
    // So high a cost that other work of the process is small next to it.
    const costly = createPasswords({ ln: 14, r: 8, p: 1 });
    const first = await costly.hash(password, network);
    const sibling = await costly.hash(`${password} 1`, network, first);
    const ten = Array.from({ length: 10 }, (_, count) => (count % 2 === 0 ? first : sibling));
    const costOf = async (hashes: readonly string[]) => {
      const before = process.cpuUsage();
      await costly.matches('a wrong password', hashes, network);
      return process.cpuUsage(before).user;
    };
    const costs = [await costOf([]), await costOf([first]), await costOf(ten)];
    expect(Math.max(...costs)).to.be.below(3 * Math.min(...costs));
  });

  it('use the cost in the hash, so that the cost can be raised', async () => {
    const salt = Buffer.alloc(16, 1);
    const key = scryptSync(password, salt, 32, { N: 2 ** 10, r: 4, p: 1 });
    const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
    expect(await matches(password, [`$scrypt$ln=10,r=4,p=1$${text(salt)}$${text(key)}`])).to.deep.equal([
      true,
    ]);
  });

  it('are rejected if they would wait for too long, without an effect on other networks', async () => {
    const flood = Array.from({ length: 100 }, () => matches(password, [cheap]));
    const other = matchesOf(password, [cheap], '192.0.2.2');
    const all = await Promise.allSettled(flood);
    const refused = all.filter(
      (result) => result.status === 'rejected' && result.reason instanceof UnavailableError,
    );
    expect([refused.length, await other, await matches(password, [cheap])]).to.deep.equal([
      68,
      [false],
      [false],
    ]);
  });
});
