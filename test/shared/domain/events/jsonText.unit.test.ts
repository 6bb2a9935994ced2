import { expect } from 'chai';
import fc from 'fast-check';

import {
  readJsonObject,
  type JsonObjectReading,
  type JsonObjectText,
} from '../../../../shared/domain/events/jsonText.js';
import { itHolds } from '../../../support/itHolds.js';

const maximumDepth = 1000;

function read(text: string | Buffer): JsonObjectReading {
  return readJsonObject(Buffer.from(text), maximumDepth);
}

function validText(text: string): JsonObjectText {
  const reading = read(text);
  if (!reading.valid) {
    throw new Error(`${text} is rejected: ${reading.message}`);
  }
  return reading.text;
}

/** The members in the text, by their names. */
function slices(text: string): Record<string, string> {
  const bytes = Buffer.from(text);
  const members = [...validText(text).members];
  return Object.fromEntries(
    members.map(([name, { start, end }]) => [name, bytes.toString('utf8', start, end)]),
  );
}

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

const spaces = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

/** The quoted name, some of its characters escaped without need. */
const writtenName = (name: string, escaped: readonly boolean[]) => {
  const characters = JSON.stringify(name).slice(1, -1);
  const written = /^[\x20-\x5b\x5d-\x7e]*$/.test(characters)
    ? Array.from(characters, (character, index) =>
        escaped[index % escaped.length] === true
          ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
          : character,
      ).join('')
    : characters;
  return `"${written}"`;
};

/** A member: its name, the text of its value, and both as in the object's text. */
const memberTexts = fc
  .record({
    name: fc.string({ unit: 'grapheme', maxLength: 8 }).filter((name) => name !== '__proto__'),
    escaped: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
    value: fc.jsonValue({ stringUnit: 'grapheme' }),
    indentation: fc.nat(2),
    around: fc.tuple(spaces, spaces, spaces, spaces),
  })
  .map(({ name, escaped, value, indentation, around: [before, between, ahead, behind] }) => {
    const valueText = JSON.stringify(value, null, indentation);
    const text = `${before}${writtenName(name, escaped)}${between}:${ahead}${valueText}${behind}`;
    return { name, valueText, text };
  });

/** Texts of JSON objects with the names of their members and the texts of their values. */
const objectTexts = fc
  .tuple(fc.uniqueArray(memberTexts, { selector: ({ name }) => name, maxLength: 6 }), spaces, spaces)
  .map(([members, before, behind]) => ({
    text: `${before}{${members.map(({ text }) => text).join(',')}}${behind}`,
    members: members.map(({ name, valueText }) => [name, valueText] as const),
  }));

describe('readJsonObject: the positions of members', () => {
  const cases: Record<string, { text: string; members: Record<string, string> }> = {
    'no members': { text: '{}', members: {} },
    'space in place of members': { text: ' { \n\t\r } ', members: {} },
    'a number beyond 2^53': { text: '{"a":9007199254740993}', members: { a: '9007199254740993' } },
    'a number with its zeros': { text: '{"a":1.10,"b":-0.0}', members: { a: '1.10', b: '-0.0' } },
    'a number beyond all doubles': { text: '{"a":1e400}', members: { a: '1e400' } },
    'space around everything': {
      text: '\t{ "a" :\n1 , "b"\r:  [ 2 ]  }\n',
      members: { a: '1', b: '[ 2 ]' },
    },
    'a string with brackets and braces': { text: '{"a":"]}[{","b":1}', members: { a: '"]}[{"', b: '1' } },
    'a string with a comma and a colon': {
      text: '{"a":"x,\\"y\\":z","b":1}',
      members: { a: '"x,\\"y\\":z"', b: '1' },
    },
    'a string that ends in backslashes': {
      text: '{"a":"\\\\","b":"\\\\\\"","c":1}',
      members: { a: '"\\\\"', b: '"\\\\\\""', c: '1' },
    },
    'a string of spaces': { text: '{"a":"  "}', members: { a: '"  "' } },
    'escapes without decoding them': { text: '{"a":"\\u00e9é\\/"}', members: { a: '"\\u00e9é\\/"' } },
    'half of a surrogate pair': { text: '{"a":"\\ud800"}', members: { a: '"\\ud800"' } },
    'names that are escaped': { text: '{"\\u0061":1,"\\"":2,"":3}', members: { a: '1', '"': '2', '': '3' } },
    'names with brackets, commas and colons': { text: '{"{[,:":1}', members: { '{[,:': '1' } },
    'names and values beyond ASCII': { text: '{"größe":"😀","b":1}', members: { größe: '"😀"', b: '1' } },
    'objects and arrays within': {
      text: '{"a":{"b":[{"c":1}]},"d":[[],{}]}',
      members: { a: '{"b":[{"c":1}]}', d: '[[],{}]' },
    },
    'the same name within a member': { text: '{"a":{"a":1}}', members: { a: '{"a":1}' } },
    'names of what every object has': {
      text: '{"constructor":1,"toString":2,"hasOwnProperty":3}',
      members: { constructor: '1', toString: '2', hasOwnProperty: '3' },
    },
  };
  for (const [what, { text, members }] of Object.entries(cases)) {
    it(`include ${what}`, () => {
      expect(slices(text)).to.deep.equal(members);
    });
  }

  it('include a member named __proto__', () => {
    expect([...validText('{"__proto__":{"x":1}}').members.entries()]).to.deep.equal([
      ['__proto__', { start: 13, end: 20 }],
    ]);
  });

  it('include the value of a member named __proto__, like any other', () => {
    const { object } = validText('{"__proto__":{"x":1}}');

    expect([Object.keys(object), Object.getPrototypeOf(object)]).to.deep.equal([
      ['__proto__'],
      Object.prototype,
    ]);
  });

  it('keep the order of the members', () => {
    expect([...validText('{"z":1,"1":2,"a":3,"0":4}').members.keys()]).to.deep.equal(['z', '1', 'a', '0']);
  });

  itHolds('contain, for any object, exactly the text of each member', [objectTexts], ({ text, members }) => {
    expect(new Map(Object.entries(slices(text)))).to.deep.equal(new Map(members));
  });

  itHolds('contain, for any object, the values of its text', [objectTexts], ({ text, members }) => {
    expect(Object.entries(validText(text).object)).to.have.deep.members(
      members.map(([name, value]) => [name, JSON.parse(value) as unknown]),
    );
  });
});

describe('readJsonObject: a duplicate member', () => {
  const cases: Record<string, string | null> = {
    '{"a":1,"b":2}': null,
    '{"a":1,"a":2}': 'a',
    '{"a":1,"b":2,"a":1}': 'a',
    '{"a":1,"\\u0061":2}': 'a',
    '{"é":1,"\\u00E9":2}': 'é',
    '{"\\n":1,"\\u000a":2}': '\n',
    '{"":1,"":2}': '',
    '{"__proto__":1,"__proto__":2}': '__proto__',
    '{"__proto__":1,"a":2}': null,
    '{"a":{"b":1,"b":2}}': null,
    '{"a":1,"b":{"a":1}}': null,
    '{"a":1,"A":2}': null,
    // One letter, composed and decomposed: JSON compares code units.
    '{"\u00e9":1,"e\u0301":2}': null,
  };
  for (const [text, repeatedMember] of Object.entries(cases)) {
    it(`is ${JSON.stringify(repeatedMember)} in ${text}`, () => {
      expect(validText(text).repeatedMember).to.equal(repeatedMember);
    });
  }

  it('has the position of its last occurrence, which is also the parsed value', () => {
    expect(slices('{"a":1,"b":2,"a":3}')).to.deep.equal({ a: '3', b: '2' });
  });
});

describe('readJsonObject: validation', () => {
  const badUtf8: Record<string, number[]> = {
    'a byte that no text has': [0xff],
    'the rest of a character without its start': [0x80],
    'an overlong slash': [0xc0, 0xaf],
    'a character that is cut off': [0xe2, 0x82],
    'half of a surrogate pair': [0xed, 0xa0, 0x80],
    'a character beyond Unicode': [0xf4, 0x90, 0x80, 0x80],
  };
  for (const [what, bytes] of Object.entries(badUtf8)) {
    it(`rejects invalid UTF-8: ${what}`, () => {
      const reading = read(Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')]));

      expect(reading).to.deep.equal({ valid: false, reason: 'not_json', message: 'it is not valid UTF-8' });
    });
  }

  const notJson: Record<string, string> = {
    'no text': '',
    'a byte-order mark': '\ufeff{"a":1}',
    'UTF-16': Buffer.from('{"a":1}', 'utf16le').toString('latin1'),
    'a comma too many': '{"a":1,}',
    'a comma too few': '{"a":1 "b":2}',
    'a name without quotes': '{a:1}',
    'single quotes': "{'a':1}",
    'a comment': '{"a":1}// b',
    'a second object': '{"a":1}{"b":2}',
    'a number with a leading zero': '{"a":01}',
    'a number without an end': '{"a":1.}',
    NaN: '{"a":NaN}',
    'a line end in a string': '{"a":"\n"}',
    'an unknown escape': '{"a":"\\x41"}',
    'an object without an end': '{"a":{"b":1}',
    'another kind of space': '{\u00a0"a":1}',
    'a zero byte behind': '{"a":1}\0',
  };
  for (const [what, text] of Object.entries(notJson)) {
    it(`rejects ${what}`, () => {
      expect(read(text)).to.include({ valid: false, reason: 'not_json' });
    });
  }

  for (const text of ['null', 'true', '1', '"{}"', '[]', '[{"a":1}]']) {
    it(`rejects ${text}, which is no object`, () => {
      expect(read(text)).to.deep.equal({
        valid: false,
        reason: 'not_an_object',
        message: 'it is not a JSON object',
      });
    });
  }

  it('accepts the maximum number of nested levels', () => {
    expect(read(`{"a":${nested(maximumDepth - 1)}}`).valid).to.equal(true);
  });

  it('rejects one level more than the maximum', () => {
    expect(read(`{"a":${nested(maximumDepth)}}`)).to.deep.equal({
      valid: false,
      reason: 'too_deep',
      message: 'it is nested deeper than 1000 levels',
    });
  });

  it('counts objects as levels too', () => {
    expect(read(`${'{"a":'.repeat(maximumDepth)}{}${'}'.repeat(maximumDepth)}`).valid).to.equal(false);
  });

  it('counts the deepest level, wherever it is', () => {
    expect(read(`{"a":1,"b":[${nested(maximumDepth - 1)}],"c":[]}`).valid).to.equal(false);
  });

  it('does not count brackets in strings', () => {
    expect(read(`{"a":"${'['.repeat(2000)}"}`).valid).to.equal(true);
  });

  it('rejects 250,000 open brackets without an overflow', () => {
    expect(read(`{"a":${nested(250_000)}}`)).to.include({ valid: false, reason: 'too_deep' });
  });

  it('rejects 250,000 brackets that are never closed without an overflow', () => {
    expect(read(`{"a":${'['.repeat(250_000)}`)).to.include({ valid: false, reason: 'not_json' });
  });

  itHolds('returns a result for any bytes, and never throws', [fc.uint8Array({ maxLength: 64 })], (bytes) => {
    expect(read(Buffer.from(bytes)).valid).to.be.a('boolean');
  });

  it('accepts exactly the texts of objects that JSON.parse accepts', () => {
    const texts = fc.oneof(fc.json(), fc.stringMatching(/^[{}[\]",:\\ a0u]{0,12}$/));
    fc.assert(
      fc.property(texts, (text) => {
        expect(read(text).valid).to.equal(isObjectText(text));
      }),
      { numRuns: 500 },
    );
  });
});

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
