import { randomBytes } from 'node:crypto';

import { expect } from 'chai';

import { isApiError } from '../../../../../api/http/apiError.js';
import {
  headerChangeOf,
  type HeaderChange,
} from '../../../../../api/resources/webhooks/options/headerChange.js';
import {
  headerOwner,
  maximumHeaders,
  type CustomHeader,
  type HeaderUpdate,
} from '../../../../../shared/domain/webhooks/customHeaders.js';
import { createSecretBox } from '../../../../../shared/security/secretBox.js';

const id = 'wh_1';
const planted = 'planted-1';
const box = createSecretBox([{ id: 'k1', bytes: randomBytes(32) }]);

function sealed(name: string, value: string): CustomHeader {
  return { name, value: box.seal(Buffer.from(value), headerOwner(id, name)) };
}

function change(present: readonly CustomHeader[], update: HeaderUpdate): HeaderChange | null {
  const result = headerChangeOf(id, present, update, box);
  if (result !== null && isApiError(result)) {
    throw new Error(result.message);
  }
  return result;
}

describe('headerChangeOf', () => {
  it('contains no value in clear text', () => {
    expect(JSON.stringify(change([], { 'X-A': planted }))).not.to.include(planted);
  });

  it('seals each value for its webhook and its name', () => {
    const value = change([], { 'X-A': planted })?.values[0]?.value ?? { key: '', sealed: '' };

    expect(box.open(value, headerOwner(id, 'x-a'))?.toString()).to.equal(planted);
    expect(box.open(value, headerOwner(id, 'x-b'))).to.equal(null);
    expect(box.open(value, headerOwner('wh_2', 'x-a'))).to.equal(null);
  });

  it('is null for values that the headers already have', () => {
    expect(change([sealed('x-a', planted)], { 'X-A': planted, 'x-b': null })).to.equal(null);
    expect(change([], null)).to.equal(null);
  });

  it('lists the names before and after, and seals only changed values', () => {
    const present = [sealed('x-a', planted), sealed('x-b', 'b')];

    const made = change(present, { 'x-a': planted, 'X-B': null, 'x-c': 'c' });

    expect([made?.from, made?.to]).to.deep.equal([
      ['x-a', 'x-b'],
      ['x-a', 'x-c'],
    ]);
    expect(made?.values.map(({ name }) => name)).to.deep.equal(['x-c']);
  });

  it('removes all headers with null', () => {
    expect(change([sealed('x-a', planted)], null)).to.deep.equal({ from: ['x-a'], to: [], values: [] });
  });

  it('rejects a merge that exceeds the limits', () => {
    const present = Array.from({ length: maximumHeaders }, (_, index) =>
      sealed(`x-${String(index)}`, planted),
    );

    const result = headerChangeOf(id, present, { 'x-more': planted }, box);

    expect(result !== null && isApiError(result) && result.param).to.equal('headers');
  });
});
