import { expect } from 'chai';

import {
  headerLimitFault,
  headerUpdateFault,
  maximumHeaderBytes,
  maximumHeaders,
  mergedHeaders,
} from '../../../../shared/domain/webhooks/customHeaders.js';

const planted = 'planted-value';

describe('headerUpdateFault', () => {
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
      expect(headerUpdateFault({ [name]: planted }, 'webhook')?.name).to.equal(name);
    });
  }

  it('rejects the names of the signature headers with their prefix', () => {
    expect(headerUpdateFault({ 'Svix-Id': planted }, 'svix')?.name).to.equal('Svix-Id');
    expect(headerUpdateFault({ 'Svix-Id': planted }, 'webhook')).to.equal(null);
  });

  for (const value of ['', ' a', 'a ', 'a\nb', 'a\rb', 'a\0b', 'ä', '\u007f']) {
    it(`rejects the value ${JSON.stringify(value)} without repeating the value`, () => {
      const fault = headerUpdateFault({ 'x-a': value }, 'webhook');

      expect(fault?.name).to.equal('x-a');
    });
  }

  it('contains no value in its rule', () => {
    expect(headerUpdateFault({ 'x-a': `${planted}\n` }, 'webhook')?.rule).not.to.include(planted);
  });

  for (const name of ['', 'a b', 'a:b', 'ä', 'a\r\nb']) {
    it(`rejects the name ${JSON.stringify(name)}`, () => {
      expect(headerUpdateFault({ [name]: planted }, 'webhook')?.name).to.equal(name);
    });
  }

  it('rejects a name that occurs in two spellings', () => {
    expect(headerUpdateFault({ 'x-a': planted, 'X-A': null }, 'webhook')?.name).to.equal('X-A');
  });

  it('accepts other names, also names of properties of objects', () => {
    const update = Object.fromEntries([
      ['__proto__', planted],
      ['constructor', planted],
      ['x.$a', 'a b\tc'],
    ]);

    expect(headerUpdateFault(update, 'webhook')).to.equal(null);
    expect(mergedHeaders([], update).map(({ name }) => name)).to.deep.equal([
      '__proto__',
      'constructor',
      'x.$a',
    ]);
  });
});

describe('mergedHeaders', () => {
  const present = [
    { name: 'x-a', value: '1' },
    { name: 'x-b', value: '2' },
  ];

  it('sets, adds and removes headers by their names in lower case', () => {
    expect(mergedHeaders(present, { 'X-A': null, 'X-B': '3', 'X-C': '4' })).to.deep.equal([
      { name: 'x-b', value: '3' },
      { name: 'x-c', value: '4' },
    ]);
  });

  it('removes all headers with null', () => {
    expect(mergedHeaders(present, null)).to.deep.equal([]);
  });
});

describe('headerLimitFault', () => {
  const headers = (count: number, bytes: number) =>
    Array.from({ length: count }, (_, index) => ({
      name: `x-${String.fromCharCode(97 + index)}`,
      value: 'v'.repeat(bytes),
    }));

  it('accepts the limits and rejects more', () => {
    expect(headerLimitFault(headers(maximumHeaders, 1))).to.equal(null);
    expect(headerLimitFault(headers(maximumHeaders + 1, 1))).not.to.equal(null);
    expect(headerLimitFault(headers(1, maximumHeaderBytes - 3))).to.equal(null);
    expect(headerLimitFault(headers(1, maximumHeaderBytes - 2))).not.to.equal(null);
  });
});
