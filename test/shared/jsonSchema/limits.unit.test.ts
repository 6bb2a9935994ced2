import { compileSchema } from '../../../shared/jsonSchema/compiler/compileSchema.js';
import { decodeProgram } from '../../../shared/jsonSchema/program/encoding.js';
import { check, compile } from './support.js';

const listOf = <Item>(length: number, item: (index: number) => Item): Item[] =>
  Array.from({ length }, (_, index) => item(index));
const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

/** Patterns whose character classes have as many ranges in all as the limit allows. */
function widestPatterns(): unknown {
  const ranges = (compile('{"pattern":"\\\\p{L}"}').pattern(0).classes[0]?.length ?? 0) / 2;
  const classes = Math.floor(20_000 / (ranges + 1));
  return {
    allOf: listOf(classes, (index) => ({ pattern: `[\\p{L}\\u{10ff${(index + 16).toString(16)}}]` })),
  };
}

/** A schema at each limit (docs/adr/0025-event-types.md). A later version must compile each of them. */
const schemas: Readonly<Record<string, () => unknown>> = {
  '64 KiB': () => ({ description: 'x'.repeat(64 * 1024 - 18) }),
  '64 levels': () => ({ enum: [nested(62)] }),
  '5,000 subschemas': () => ({ prefixItems: [...listOf(2499, () => ({ not: {} })), {}] }),
  'an enum of 5,000 values': () => ({ enum: listOf(5000, (index) => 1e9 + index) }),
  '1,000 evaluations of one value': () => ({ allOf: listOf(999, () => ({})) }),
  '100 patterns with 10,000 instructions': () => ({
    allOf: listOf(100, (index) => ({ pattern: `${'[ab]'.repeat(97)}${String(index + 100).slice(1)}` })),
  }),
  'a pattern of 1,000 characters': () => ({ pattern: 'x'.repeat(1000) }),
  'a pattern of 2,000 instructions': () => ({ pattern: '[a-z]{1999}' }),
  '20,000 ranges of character classes': widestPatterns,
  'five Unicode properties': () => ({
    pattern: '\\p{L}\\p{Script_Extensions=Latin}\\p{ID_Continue}\\p{Cn}\\p{Changes_When_NFKC_Casefolded}',
  }),
  'a divisor of 400 digits': () => 'multipleOf',
  'the exponent -400': () => 'exponent',
};

const texts: Readonly<Record<string, string>> = {
  multipleOf: `{"multipleOf": ${'7'.repeat(400)}}`,
  exponent: '{"multipleOf": 1e-400}',
};

describe('A schema at a limit', () => {
  for (const [title, create] of Object.entries(schemas)) {
    it(`is compiled and received: ${title}`, () => {
      const schema = create();
      const text = typeof schema === 'string' ? (texts[schema] ?? '') : JSON.stringify(schema);
      const compilation = compileSchema(Buffer.from(text));
      if (compilation.outcome === 'rejected') {
        throw new Error(`${compilation.place}: ${compilation.message}`);
      }
      check(decodeProgram(structuredClone(compilation.program)), '[[1]]');
    });
  }
});
