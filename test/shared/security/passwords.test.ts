import { scryptSync } from 'node:crypto';

import { expect } from 'chai';

import { UnavailableError } from '../../../shared/core/errors.js';
import { createPasswords } from '../../../shared/security/passwords.js';

const password = 'correct horse battery staple';
const network = '192.0.2.1';
/** A hash that takes next to no time. */
const cheap = `$scrypt$ln=1,r=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

describe('shared/passwords', () => {
  const { hash: hashFor, matches: matchesOf } = createPasswords();
  const hash = (text: string, sibling?: string) => hashFor(text, network, sibling);
  const matches = (text: string, hashes: readonly string[]) => matchesOf(text, hashes, network);
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

  it('gives a hash the salt of its sibling', async () => {
    expect(await hash(password, stored)).to.equal(stored);
  });

  it('gives a hash its own salt if the cost of its sibling is not the present one', async () => {
    expect((await hash(password, cheap)).split('$')[3])
      .to.have.length(22)
      .and.not.equal('A'.repeat(22));
  });

  it('knows the password', async () => {
    expect(await matches(password, [stored])).to.deep.equal([true]);
  });

  it('knows it also where it was typed in another way of Unicode', async () => {
    expect(await matches('caf\u0065\u0301 au lait', [await hash('caf\u00e9 au lait')])).to.deep.equal([true]);
  });

  it('knows another one from it', async () => {
    expect(await matches(`${password} `, [stored])).to.deep.equal([false]);
  });

  it('matches no password if there is no hash', async () => {
    expect(await matches('', [])).to.deep.equal([]);
  });

  it('says for each of several hashes whether the password is its password', async () => {
    const [sibling, other] = [await hash('another password', stored), await hash(password)];
    expect(await matches(password, [sibling, stored, cheap, other])).to.deep.equal([
      false,
      true,
      false,
      true,
    ]);
  });

  it('needs one derivation for no hash, for one and for ten of one person', async () => {
    const siblings = [
      stored,
      ...(await Promise.all([1, 2, 3].map((each) => hash(`${password} ${each}`, stored)))),
    ];
    const ten = Array.from({ length: 10 }, (_, count) => siblings[count % siblings.length] ?? stored);
    const costOf = async (hashes: readonly string[]) => {
      const before = process.cpuUsage();
      await matches('a wrong password', hashes);
      return process.cpuUsage(before).user;
    };
    const costs = [await costOf([]), await costOf([stored]), await costOf(ten)];
    expect(Math.max(...costs)).to.be.below(3 * Math.min(...costs));
  });

  it('goes by the cost that stands in the hash, so that it can be raised', async () => {
    const salt = Buffer.alloc(16, 1);
    const key = scryptSync(password, salt, 32, { N: 2 ** 10, r: 4, p: 1 });
    const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
    expect(await matches(password, [`$scrypt$ln=10,r=4,p=1$${text(salt)}$${text(key)}`])).to.deep.equal([
      true,
    ]);
  });

  it('rejects what would wait for too long, and nothing of another network', async () => {
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
