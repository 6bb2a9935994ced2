import { expect } from 'chai';
import fc from 'fast-check';

import { createTextSearch } from '../../../../api/resources/events/textSearch.js';
import { testIdentifier } from '../../../support/facts.js';

const id = testIdentifier('evt');

function finds(text: string, data: string): boolean {
  return createTextSearch(text)({ id, data: Buffer.from(data) });
}

/** JSON in which every character of a string is an escape sequence. */
function escapedJson(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16));
  return `{"text":"${units.map((unit) => `\\u${unit.padStart(4, '0')}`).join('')}"}`;
}

describe('a search for a text in an event', () => {
  const cases: readonly [what: string, text: string, data: string, expected: boolean][] = [
    ['a value', 'ord_1', '{"orderId":"ord_1"}', true],
    ['a name and a value, as the JSON text has them', '"orderId":"ord_1"', '{"orderId":"ord_1"}', true],
    ['a number with all digits', '12345678901234567890', '{"n":12345678901234567890}', true],
    ['no text that is absent', 'ord_2', '{"orderId":"ord_1"}', false],
    ['letters in another case', 'ORDER', '{"a":"my order"}', true],
    [
      'letters of other alphabets in another case',
      'STRASSE ÜBER ΣΊΣΥΦΟΣ',
      '{"a":"strasse über σίσυφος"}',
      true,
    ],
    ['a sharp s by its capital letter', 'STRAẞE', '{"a":"straße"}', true],
    ['no double s for a sharp s', 'strasse', '{"a":"straße"}', false],
    ['a final sigma by a sigma', 'ΟΔΟΣ', '{"a":"οδος"}', true],
    ['a character by its escape sequence in the data', 'über', String.raw`{"a":"\u00fcber"}`, true],
    ['a character in another case by its escape sequence', 'ÜBER', String.raw`{"a":"\u00FCber"}`, true],
    ['no escape sequence of a character', 'u00fc', String.raw`{"a":"\u00fcber"}`, false],
    ['a backslash', String.raw`C:\temp`, String.raw`{"a":"C:\\temp"}`, true],
    [
      'an escape sequence that the value contains as text',
      String.raw`\u00fc`,
      String.raw`{"a":"\\u00fc"}`,
      true,
    ],
    ['no character for that text', 'aüb', String.raw`{"a":"a\\u00fcb"}`, false],
    ['a quotation mark in a string', 'say "hi"', String.raw`{"a":"say \"hi\""}`, true],
    ['a slash that the data escapes', 'a/b', String.raw`{"a":"a\/b"}`, true],
    ['a line break in a string', 'one\ntwo', String.raw`{"a":"one\ntwo"}`, true],
    [
      'a character beyond the basic plane by two escape sequences',
      'x😀y',
      String.raw`{"a":"x\ud83d\ude00y"}`,
      true,
    ],
    ['the characters of a pattern as text', '(a+b)*[c]?', '{"a":"(a+b)*[c]?"}', true],
    ['no pattern', 'a.c', '{"a":"abc"}', false],
    ['half an id', id.slice(0, 10), '{}', true],
    ['an id in another case', id.toLowerCase(), '{}', true],
  ];
  for (const [what, text, data, expected] of cases) {
    it(`finds ${what}`, () => {
      expect(finds(text, data)).to.equal(expected);
    });
  }

  it('finds any text in a value, with or without escape sequences', () => {
    const texts = fc.string({ unit: 'grapheme', minLength: 3, maxLength: 20 });
    fc.assert(
      fc.property(texts, fc.string(), (text, before) => {
        const value = `${before}${text}`;
        expect([finds(text, JSON.stringify({ value })), finds(text, escapedJson(value))]).to.deep.equal([
          true,
          true,
        ]);
      }),
    );
  });
});
