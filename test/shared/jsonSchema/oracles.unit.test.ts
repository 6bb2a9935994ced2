import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import fc from 'fast-check';

import { parseExactJson, writeExactJson } from '../../../shared/jsonSchema/json/exactJson.js';
import { check, compile } from './support.js';
import { itHolds } from '../../support/itHolds.js';

const names = fc.constantFrom('a', 'b', 'c', '1');
const scalars = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('', 'a', 'ab', '😀'),
);

const { data } = fc.letrec((tie) => ({
  data: fc.oneof(
    { maxDepth: 3 },
    scalars,
    fc.array(tie('data'), { maxLength: 3 }),
    fc.dictionary(names, tie('data'), { maxKeys: 3 }),
  ),
}));

/** Objects of at most three of the given members. */
function someOf(members: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<unknown> {
  const entries = Object.entries(members).map(([name, value]) => fc.tuple(fc.constant(name), value));
  return fc
    .uniqueArray(fc.oneof(...entries), { maxLength: 3, selector: ([name]) => name })
    .map((parts) => Object.fromEntries(parts));
}

const { schema } = fc.letrec((tie) => {
  const one = tie('schema');
  const some = fc.array(one, { minLength: 1, maxLength: 2 });
  const size = fc.integer({ min: 0, max: 3 });
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.boolean(),
      someOf({
        type: fc.constantFrom('object', 'array', 'string', 'number', 'integer', 'null', 'boolean'),
        enum: fc.array(data, { minLength: 1, maxLength: 3 }),
        const: data,
        minimum: fc.integer({ min: -3, max: 3 }),
        exclusiveMaximum: fc.integer({ min: -3, max: 3 }),
        multipleOf: fc.constantFrom(1, 2, 0.5),
        maxLength: size,
        minItems: size,
        maxProperties: size,
        uniqueItems: fc.boolean(),
        pattern: fc.constantFrom('^a', 'b$', '.'),
        required: fc.uniqueArray(names, { maxLength: 2 }),
        properties: fc.dictionary(names, one, { maxKeys: 2 }),
        patternProperties: fc.dictionary(fc.constantFrom('^a', '[bc]'), one, { maxKeys: 2 }),
        additionalProperties: one,
        propertyNames: one,
        prefixItems: some,
        items: one,
        contains: one,
        minContains: size,
        allOf: some,
        anyOf: some,
        oneOf: some,
        not: one,
        if: one,
        then: one,
        else: one,
        dependentSchemas: fc.dictionary(names, one, { maxKeys: 1 }),
        unevaluatedProperties: one,
        unevaluatedItems: one,
      }),
    ),
  };
});

const pieces = fc.constantFrom(
  'a',
  'b',
  '.',
  '\\d',
  '\\w',
  '\\s',
  '[ab]',
  '[^a]',
  '\\b',
  '\\B',
  '^',
  '$',
  '😀',
);
const quantifiers = fc.constantFrom('', '*', '+', '?', '{2}', '{1,3}', '{0}', '{2,}', '*?');
const isAssertion = (piece: string): boolean => ['^', '$', '\\b', '\\B'].includes(piece);
const sequences = fc
  .array(fc.tuple(pieces, quantifiers), { maxLength: 4 })
  .map((parts) => parts.map(([piece, times]) => (isAssertion(piece) ? piece : piece + times)).join(''));
const patterns = fc
  .tuple(sequences, sequences, fc.constantFrom('', '?', '{2}', '{1,3}'))
  .map(([left, right, times]) => `(${left}|${right})${times}${left}`);
const shortTexts = fc
  .array(fc.constantFrom('a', 'b', 'A', '1', ' ', '\n', '😀', '\ud800', '_', 'é'), { maxLength: 12 })
  .map((parts) => parts.join(''));

describe('The JSON Schema interpreter', () => {
  itHolds(
    'agrees with Ajv about schemas and data',
    [schema, data],
    (anySchema, value) => {
      const [schemaText, dataText] = [JSON.stringify(anySchema), JSON.stringify(value)];
      // Ajv does not count the items that `contains` found as evaluated, which the specification demands.
      fc.pre(!(schemaText.includes('"contains"') && schemaText.includes('"unevaluatedItems"')));
      const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false, meta: false });
      const isValid = ajv.compile(JSON.parse(schemaText) as AnySchema)(JSON.parse(dataText));
      const { result } = check(compile(schemaText), dataText);
      expect(result.status).to.equal(isValid ? 'valid' : 'invalid');
    },
    { numRuns: 200 },
  );

  itHolds(
    'agrees with native regular expressions about patterns and texts',
    [patterns, shortTexts],
    (pattern, text) => {
      // V8 finds `\B` between the two surrogates of a character, which ECMA-262 does not.
      fc.pre(!(pattern.includes('\\B') && text.includes('😀')));
      const { result } = check(compile(JSON.stringify({ pattern })), JSON.stringify(text));
      expect(result.status).to.equal(new RegExp(pattern, 'u').test(text) ? 'valid' : 'invalid');
    },
    { numRuns: 200 },
  );

  it('reads Unicode properties with each code point', () => {
    const statusOf = (pattern: string, text: string): string =>
      check(compile(JSON.stringify({ pattern })), JSON.stringify(text)).result.status;
    expect(statusOf('^\\p{Lu}+$', 'AÄΩ𝐀')).to.equal('valid');
    expect(statusOf('\\p{Lu}', 'aäω1\ud800')).to.equal('invalid');
    expect(statusOf('^\\P{Lu}+$', 'aäω1\ud800😀')).to.equal('valid');
    // Unassigned planes and planes for private use, whose last two code points are noncharacters.
    expect(statusOf('^\\p{Co}+$', '\ue000\u{f0000}\u{ffffd}\u{100000}\u{10fffd}')).to.equal('valid');
    expect(statusOf('^\\p{Cn}+$', '\u{40000}\u{dfffd}\u{ffffe}\u{10ffff}')).to.equal('valid');
    expect(statusOf('\\p{Co}', '\u{40000}\u{dfffd}\u{ffffe}\u{10ffff}')).to.equal('invalid');
    expect(statusOf('^\\p{Noncharacter_Code_Point}+$', '\u{4fffe}\u{10ffff}')).to.equal('valid');
    expect(statusOf('\\p{Noncharacter_Code_Point}', '\u{4fffd}\u{100000}')).to.equal('invalid');
  });

  it('parses and writes JSON byte for byte, with each digit', () => {
    const text =
      '{"a":[1.0,1e2,-0,12345678901234567890,0.10000000000000000555],"__proto__":{"b":"\\n"},"c":null}';
    expect(writeExactJson(parseExactJson(text))).to.equal(text);
  });

  it('compares numbers digit by digit', () => {
    const statusOf = (schemaText: string, value: string): string =>
      check(compile(schemaText), value).result.status;
    expect(statusOf('{"maximum": 9007199254740993}', '9007199254740993')).to.equal('valid');
    expect(statusOf('{"maximum": 9007199254740993}', '9007199254740994')).to.equal('invalid');
    expect(statusOf('{"multipleOf": 0.1}', '0.3')).to.equal('valid');
    expect(statusOf('{"const": 100}', '1e2')).to.equal('valid');
    expect(statusOf('{"uniqueItems": true}', '[1, 1.0]')).to.equal('invalid');
    expect(statusOf('{"uniqueItems": true}', '[12345678901234567890, 12345678901234567891]')).to.equal(
      'valid',
    );
    expect(statusOf('{"minItems": 1e399, "contains": {}}', '[1]')).to.equal('invalid');
    expect(statusOf('{"maxItems": 1e399, "contains": {}}', '[1]')).to.equal('valid');
    expect(statusOf('{"type": "integer"}', '12345678901234567890.5')).to.equal('invalid');
  });
});
