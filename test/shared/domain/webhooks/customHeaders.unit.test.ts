import { expect } from 'chai';

import {
  headerFault,
  headerLimit,
  maximumHeaderBytes,
  maximumHeaders,
} from '../../../../shared/domain/webhooks/customHeaders.js';

const planted = 'planted-value';

describe('headerFault', () => {
  for (const name of [
    'Host',
    'content-type',
    'Content-X',
    'Connection',
    'proxy-authorization',
    'TE',
    'expect',
  ]) {
    it(`rejects the reserved name ${name}`, () => {
      expect(headerFault({ [name]: planted })?.name).to.equal(name);
    });
  }

  for (const value of [1, {}, '', ' a', 'a ', 'a\nb', 'a\rb', 'a\0b', 'ä', '\u007f']) {
    it(`rejects the value ${JSON.stringify(value)} without repeating the value`, () => {
      const fault = headerFault({ 'x-a': value });

      expect(fault?.name).to.equal('x-a');
    });
  }

  it('contains no value in its rule', () => {
    expect(headerFault({ 'x-a': `${planted}\n` })?.rule).not.to.include(planted);
  });

  for (const name of ['', 'a b', 'a:b', 'ä', 'a\r\nb', '__proto__']) {
    it(`rejects the name ${JSON.stringify(name)}`, () => {
      expect(headerFault(Object.fromEntries([[name, planted]]))?.name).to.equal(name);
    });
  }

  it('rejects a name that occurs in two spellings', () => {
    expect(headerFault({ 'x-a': planted, 'X-A': null })?.name).to.equal('X-A');
  });

  it('accepts other names, also names of properties of objects', () => {
    const update = Object.fromEntries([
      ['constructor', planted],
      ['x.$a', 'a b\tc'],
    ]);

    expect(headerFault(update)).to.equal(null);
  });
});

describe('headerLimit', () => {
  const headers = (count: number, bytes: number) =>
    Array.from(
      { length: count },
      (_, index) => [`x-${String.fromCharCode(97 + index)}`, 'v'.repeat(bytes)] as const,
    );

  it('accepts the limits and rejects more', () => {
    expect(headerLimit(headers(maximumHeaders, 1))).to.equal(null);
    expect(headerLimit(headers(maximumHeaders + 1, 1))).not.to.equal(null);
    expect(headerLimit(headers(1, maximumHeaderBytes - 3))).to.equal(null);
    expect(headerLimit(headers(1, maximumHeaderBytes - 2))).not.to.equal(null);
  });
});
