import { expect } from 'chai';

import { check, compile, rejection } from './support.js';

interface Attack {
  readonly title: string;
  readonly schema: unknown;
  readonly data: unknown;
  readonly outcome: 'valid' | 'invalid' | 'exhausted';
  /** The work must count at least this many steps: without the count of an operation, there are fewer. */
  readonly least: number;
  readonly most: number;
}

const repeated = (text: string, count: number): string => text.repeat(count);
const listOf = <Item>(length: number, item: (index: number) => Item): Item[] =>
  Array.from({ length }, (_, index) => item(index));
const nested = (depth: number): unknown => JSON.parse(`${repeated('[', depth)}${repeated(']', depth)}`);
const objectOf = (length: number, member: (index: number) => readonly [string, unknown]): unknown =>
  Object.fromEntries(listOf(length, member));

const budget = 2_000_000;
const texts = listOf(2000, (index) => `${repeated('x', 20)}${index}`);

const attacks: readonly Attack[] = [
  {
    title: 'anyOf that doubles at each level of recursive data',
    schema: {
      anyOf: [{ items: { $ref: '#' }, maxItems: 0, type: 'array' }, { items: { $ref: '#' } }],
      minItems: 1,
    },
    data: nested(40),
    outcome: 'exhausted',
    least: budget,
    most: budget + 100,
  },
  {
    title: 'an enum of 64 KiB of texts',
    schema: { enum: texts },
    data: texts.at(-1),
    outcome: 'valid',
    least: 4,
    most: 20,
  },
  {
    title: 'an enum of objects, and an object of 2,000 members',
    schema: { enum: listOf(1000, (index) => ({ a: index })) },
    data: objectOf(2000, (index) => [`n${index}`, index]),
    outcome: 'invalid',
    least: 94_747,
    most: 94_757,
  },
  {
    title: 'a const of 32 KiB',
    schema: { const: repeated('x', 32_000) },
    data: repeated('x', 32_000),
    outcome: 'valid',
    least: 8006,
    most: 8016,
  },
  {
    title: 'uniqueItems of 50,000 numbers',
    schema: { uniqueItems: true },
    data: listOf(50_000, (index) => index),
    outcome: 'valid',
    least: 1_250_000,
    most: 1_250_010,
  },
  {
    title: 'uniqueItems of 2,000 objects with equal beginnings',
    schema: { uniqueItems: true },
    data: listOf(2000, (index) => ({ a: repeated('x', 100), b: index })),
    outcome: 'valid',
    least: 201_900,
    most: 201_910,
  },
  {
    title: 'uniqueItems in each level of nested lists',
    schema: { uniqueItems: true, items: { $ref: '#' } },
    data: nested(200),
    outcome: 'valid',
    least: 704_038,
    most: 704_048,
  },
  {
    title: 'allOf with unevaluatedProperties',
    schema: {
      allOf: listOf(100, () => ({ additionalProperties: true })),
      unevaluatedProperties: false,
    },
    data: objectOf(500, (index) => [`n${index}`, 0]),
    outcome: 'valid',
    least: 935_201,
    most: 935_211,
  },
  {
    title: 'contains with unevaluatedItems',
    schema: { allOf: listOf(100, () => ({ contains: true })), unevaluatedItems: false },
    data: listOf(500, (index) => index),
    outcome: 'valid',
    least: 200_000,
    most: 260_000,
  },
  ...['(a+)+$', '(a|a)*b', '^(a|aa)+$'].map((pattern): Attack => ({
    title: `the pattern ${pattern}`,
    schema: { pattern },
    data: `${repeated('a', 10_000)}c`,
    outcome: 'invalid',
    least: 60_000,
    most: 200_000,
  })),
  {
    title: 'a class of many ranges in 500 instructions',
    schema: { pattern: '[\\p{L}\\p{N}]{500}!' },
    data: repeated('ä', 100_000),
    outcome: 'exhausted',
    least: budget,
    most: budget + 100,
  },
  {
    title: 'a class of many ranges',
    schema: { pattern: '^[\\p{L}\\p{N}]*$' },
    data: repeated('ä', 1000),
    outcome: 'valid',
    least: 14_000,
    most: 20_000,
  },
  {
    title: '100 patternProperties and 20,000 names',
    schema: { patternProperties: objectOf(100, (index) => [`x${index}$`, true]) },
    data: objectOf(20_000, (index) => [`n${index}`, 0]),
    outcome: 'exhausted',
    least: budget,
    most: budget + 100,
  },
  {
    title: 'additionalProperties and 20,000 names',
    schema: { additionalProperties: { type: 'integer' } },
    data: objectOf(20_000, (index) => [`n${index}`, 0]),
    outcome: 'valid',
    least: 239_900,
    most: 239_910,
  },
  {
    title: 'minLength on 256 KiB',
    schema: { minLength: 200_000 },
    data: repeated('x', 256_000),
    outcome: 'valid',
    least: 64_001,
    most: 64_011,
  },
  {
    title: 'required names that are many, and present',
    schema: { required: listOf(3000, (index) => `n${index}`), minProperties: 3000 },
    data: objectOf(3000, (index) => [`n${index}`, 0]),
    outcome: 'valid',
    least: 15_001,
    most: 15_011,
  },
  {
    title: 'data nested 1,600 deep',
    schema: { items: { $ref: '#' } },
    data: nested(1600),
    outcome: 'exhausted',
    least: 3000,
    most: 7000,
  },
  {
    title: 'uniqueItems of data nested 1,600 deep',
    schema: { uniqueItems: true },
    data: [nested(1600)],
    outcome: 'exhausted',
    least: 1500,
    most: 400_000,
  },
  {
    title: '2,000 properties and an empty object',
    schema: { properties: objectOf(2000, (index) => [`n${index}`, true]) },
    data: {},
    outcome: 'valid',
    least: 2000,
    most: 2010,
  },
  {
    title: '900 dependentSchemas and an empty object',
    schema: { dependentSchemas: objectOf(900, (index) => [`n${index}`, true]) },
    data: {},
    outcome: 'valid',
    least: 900,
    most: 910,
  },
  {
    title: '500 dependentRequired and an empty object',
    schema: { dependentRequired: objectOf(500, (index) => [`n${index}`, ['a', 'b', 'c', 'd']]) },
    data: {},
    outcome: 'valid',
    least: 2500,
    most: 2510,
  },
  {
    title: 'unevaluatedItems of marked items',
    schema: { contains: true, unevaluatedItems: false },
    data: listOf(2000, (index) => index),
    outcome: 'valid',
    least: 8000,
    most: 8010,
  },
  {
    title: 'a long pattern and many short texts',
    schema: { items: { pattern: 'a{1000}' } },
    data: [''],
    outcome: 'invalid',
    least: 254,
    most: 264,
  },
  {
    title: 'the pattern ab',
    schema: { pattern: 'ab' },
    data: repeated('a', 10_000),
    outcome: 'invalid',
    least: 39_000,
    most: 41_000,
  },
];

describe('Hostile schemas and hostile data', () => {
  for (const { title, schema, data, outcome, least, most } of attacks) {
    it(`cost a counted number of steps: ${title}`, () => {
      const program = compile(JSON.stringify(schema));
      const { result, steps } = check(program, JSON.stringify(data), { steps: budget });
      expect({ status: result.status, isCounted: steps >= least && steps <= most, steps }).to.deep.equal({
        status: outcome,
        isCounted: true,
        steps,
      });
    });
  }

  it('end with an exhausted budget for numbers of 100,000 digits', () => {
    const data = repeated('9', 100_000);
    for (const schema of ['{"multipleOf": 3}', '{"maximum": 3}', '{"enum": [3]}', '{"const": 3}']) {
      expect(check(compile(schema), data).result.status).to.equal('exhausted');
    }
  });

  it('count the digits of exact numbers', () => {
    const { steps } = check(compile('{"minimum": 1}'), repeated('9', 400));
    expect(steps).to.be.within(101, 110);
  });

  const definitions: Readonly<Record<string, unknown>> = Object.fromEntries(
    listOf(21, (index) => [
      `a${index}`,
      index === 20 ? {} : { anyOf: listOf(2, () => ({ $ref: `#/$defs/a${index + 1}` })) },
    ]),
  );
  const rejected: Readonly<Record<string, unknown>> = {
    'exponential anyOf': { $ref: '#/$defs/a0', $defs: definitions },
    'a $ref cycle': { $ref: '#/$defs/a', $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } },
    'a chain of 1,100 $ref': {
      $ref: '#/$defs/a0',
      $defs: objectOf(1101, (index) => [
        `a${index}`,
        index === 1100 ? {} : { $ref: `#/$defs/a${index + 1}` },
      ]),
    },
    'nested counted repetitions': { pattern: '((x{0,30}){0,30}){0,30}' },
    'long counted repetitions': { pattern: '.{1,1000}.{1,1000}' },
    'the divisor 1e-400': undefined,
    'an enum of 5,001 values': { enum: listOf(5001, (index) => index) },
    'more than 64 KiB': { description: repeated('x', 66_000) },
    'more than 64 levels': { enum: [nested(64)] },
    'look-around': { pattern: '(?=a)' },
    'a back-reference': { pattern: '(a)\\1' },
    'six Unicode properties': { pattern: '\\p{L}\\p{N}\\p{P}\\p{S}\\p{Z}\\p{M}' },
  };
  for (const [title, schema] of Object.entries(rejected)) {
    it(`are rejected if a schema contains ${title}`, () => {
      const text = schema === undefined ? '{"multipleOf": 1e-401}' : JSON.stringify(schema);
      expect(rejection(text).place).to.match(/^schema/);
    });
  }

  it('find only own members, so names of prototypes are ordinary names', () => {
    const names = ['__proto__', 'constructor', 'toString'];
    const program = compile(JSON.stringify({ required: names }));
    expect(check(program, '{}').result).to.include({ status: 'invalid', place: 'data.__proto__' });
    expect(check(program, '{"__proto__": 1, "constructor": 2, "toString": 3}').result.status).to.equal(
      'valid',
    );
    const typed = compile('{"properties": {"__proto__": {"type": "string"}}, "additionalProperties": false}');
    expect(check(typed, '{"__proto__": 1}').result).to.include({ place: 'data.__proto__', code: 'type' });
    expect(check(typed, '{"a\\ud800": 1}').result).to.include({ place: 'data["a\\ud800"]' });
  });
});
