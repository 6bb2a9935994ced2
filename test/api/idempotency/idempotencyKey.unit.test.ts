import { expect } from 'chai';
import fc from 'fast-check';

import { isApiError } from '../../../api/http/apiError.js';
import { readIdempotencyKey } from '../../../api/idempotency/idempotency.js';
import { itHolds } from '../../support/itHolds.js';

const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));

/** A key as the HTTP parser returns it: without spaces around it. */
const anyKey = fc
  .string({ unit: fc.constantFrom(...printable), minLength: 1, maxLength: 255 })
  .filter((key) => key.trim() === key);

function quoted(key: string): string {
  return `"${key.replace(/["\\]/g, '\\$&')}"`;
}

const accepted: readonly [value: string, key: string][] = [
  ['a', 'a'],
  ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
  ['two words', 'two words'],
  ['a"b\\c', 'a"b\\c'],
  ['"a"', 'a'],
  ['" a "', ' a '],
  ['"a\\"b\\\\c"', 'a"b\\c'],
  ['a'.repeat(255), 'a'.repeat(255)],
  [`"${'a'.repeat(255)}"`, 'a'.repeat(255)],
  [`"${'\\"'.repeat(255)}"`, '"'.repeat(255)],
];

const refused: readonly (readonly string[])[] = [
  [],
  [''],
  ['""'],
  ['"'],
  ['"a'],
  ['"a" '],
  ['"a"b'],
  ['"a";b=1'],
  ['"a"b"'],
  ['"a\\"'],
  ['"a\\b"'],
  ['a'.repeat(256)],
  [`"${'a'.repeat(256)}"`],
  ['a\tb'],
  ['a\u007fb'],
  ['é'],
  ['"é"'],
  ['a\u0000'],
  ['a', 'a'],
  ['a', 'b'],
];

describe('the header Idempotency-Key', () => {
  for (const [value, key] of accepted) {
    it(`accepts ${value.slice(0, 40)}`, () => {
      expect(readIdempotencyKey([value])).to.equal(key);
    });
  }

  for (const values of refused) {
    it(`rejects ${JSON.stringify(values).slice(0, 40)}`, () => {
      const key = readIdempotencyKey(values);
      expect(typeof key !== 'string' && isApiError(key) && key.errorCode).to.equal('idempotency_key_invalid');
    });
  }

  itHolds('is the same key with and without quotes', [anyKey], (key) => {
    fc.pre(!key.startsWith('"'));

    expect([readIdempotencyKey([key]), readIdempotencyKey([quoted(key)])]).to.deep.equal([key, key]);
  });

  itHolds('accepts any printable text in quotes', [anyKey], (key) => {
    expect(readIdempotencyKey([quoted(key)])).to.equal(key);
  });
});
