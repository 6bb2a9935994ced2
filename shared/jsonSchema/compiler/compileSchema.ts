import type { Place } from '../check/place.js';
import { isList, isObject, parseExactJson, type JsonObject, type JsonValue } from '../json/exactJson.js';
import { comparableNumber } from '../json/exactNumber.js';
import { typeBits, type Keyword } from '../program/keywords.js';
import { encodeProgram } from '../program/encoding.js';
import type { EncodedProgram, ProgramNode } from '../program/program.js';
import { findInPlaceFault } from './inPlace.js';
import { keywordCompiler, type KeywordContext } from './keywords.js';
import { demand, demandLimit, limits, SchemaRejectedError } from './limits.js';
import { createPatternCompiler } from './patterns.js';
import { createReferences, type PlacedSchema } from './references.js';

/** `place` is the keyword that was rejected (`schema.properties.amount.pattern`). `message` names limits and values. */
export type Compilation =
  | { readonly outcome: 'compiled'; readonly program: EncodedProgram }
  | { readonly outcome: 'rejected'; readonly place: string; readonly message: string };

/** Compiles a JSON Schema 2020-12 (UTF-8). The result depends only on the bytes, so each process decides equally. */
export function compileSchema(schema: Buffer): Compilation {
  try {
    return { outcome: 'compiled', program: createProgram(parse(schema)) };
  } catch (error) {
    if (error instanceof SchemaRejectedError) {
      return { outcome: 'rejected', place: error.place, message: error.message };
    }
    throw error;
  }
}

const rootPlace: Place = { parent: null, key: 'schema' };

function parse(bytes: Buffer): JsonValue {
  demandLimit('bytes', { value: bytes.length, limit: limits.bytes }, rootPlace);
  const schema = parsedOrUndefined(bytes.toString('utf8'));
  demand(schema !== undefined, rootPlace, 'The schema must be valid JSON.');
  demand(!isDeeper(schema, limits.nesting), rootPlace, `The schema has more than ${limits.nesting} levels.`);
  return schema;
}

function parsedOrUndefined(text: string): JsonValue | undefined {
  try {
    return parseExactJson(text, comparableNumber);
  } catch (error) {
    if (error instanceof SyntaxError) {
      return undefined;
    }
    throw error;
  }
}

function isDeeper(value: JsonValue, levels: number): boolean {
  const children = isList(value) ? value : isObject(value) ? Object.values(value) : null;
  return children !== null && (levels === 0 || children.some((child) => isDeeper(child, levels - 1)));
}

function createProgram(schema: JsonValue): EncodedProgram {
  const root = { schema, place: rootPlace };
  const references = createReferences(root);
  const patterns = createPatternCompiler();
  const found: PlacedSchema[] = [];
  const indexes = new Map<JsonValue, number>();
  const unresolved: {
    readonly reference: string;
    readonly place: Place;
    readonly keyword: { node: number };
  }[] = [];
  let values = 0;

  function indexOf(subschema: JsonValue, place: Place): number {
    const known = indexes.get(subschema);
    if (known !== undefined) {
      return known;
    }
    demand(isSchema(subschema), place, 'A schema must be an object or a boolean.');
    const count = found.push({ schema: subschema, place });
    demandLimit('subschemas', { value: count, limit: limits.subschemas }, place);
    indexes.set(subschema, count - 1);
    return count - 1;
  }

  const parts: Omit<KeywordContext, 'schema' | 'schemaPlace'> = {
    node: indexOf,
    pattern: patterns.compile,
    reference: (reference, place) => {
      const keyword: Keyword<'reference'> & { node: number } = { keyword: 'reference', node: 0 };
      unresolved.push({ reference, place, keyword });
      return keyword;
    },
    countValues: (count, place) => {
      values += count;
      demandLimit('values in `enum`', { value: values, limit: limits.values }, place);
    },
  };

  function compileNode({ schema: subschema, place }: PlacedSchema): ProgramNode {
    if (!isObject(subschema)) {
      return { keywords: subschema === false ? [{ keyword: 'never' }] : [], hasUnevaluated: false };
    }
    references.declare(subschema, place);
    return nodeOf(subschema, place, { ...parts, schema: subschema, schemaPlace: place });
  }

  indexOf(schema, rootPlace);
  const nodes: ProgramNode[] = [];
  // A reference may name a place that is no known subschema, which then has further references.
  while (nodes.length < found.length || unresolved.length > 0) {
    for (let next = found[nodes.length]; next !== undefined; next = found[nodes.length]) {
      nodes.push(compileNode(next));
    }
    for (const { reference, place, keyword } of unresolved.splice(0)) {
      const target = references.resolve(reference, place);
      keyword.node = indexOf(target.schema, target.place);
    }
  }
  rejectInPlaceFault(nodes, found);
  return encodeProgram({
    nodes,
    patterns: patterns.programs,
    needsExactNumbers: nodes.some(comparesNumbers),
  });
}

function isSchema(value: JsonValue): boolean {
  return typeof value === 'boolean' || isObject(value);
}

function rejectInPlaceFault(nodes: readonly ProgramNode[], found: readonly PlacedSchema[]): void {
  const fault = findInPlaceFault(nodes);
  if (fault !== null) {
    throw new SchemaRejectedError(found[fault.node]?.place ?? rootPlace, fault.message);
  }
}

function nodeOf(schema: JsonObject, place: Place, context: KeywordContext): ProgramNode {
  const keywords = Object.entries(schema).flatMap(([name, value]) => {
    const keyword = keywordCompiler(name)?.(value, { parent: place, key: name }, context) ?? null;
    return keyword === null ? [] : [keyword];
  });
  const isLast = ({ keyword }: Keyword): boolean => keyword.startsWith('unevaluated');
  const last = keywords.filter(isLast);
  return {
    keywords: [...keywords.filter((keyword) => !isLast(keyword)), ...last],
    hasUnevaluated: last.length > 0,
  };
}

function comparesNumbers({ keywords }: ProgramNode): boolean {
  return keywords.some(
    (keyword) =>
      numberKeywords.has(keyword.keyword) ||
      (keyword.keyword === 'type' && (keyword.types & typeBits.integer) !== 0),
  );
}

const numberKeywords: ReadonlySet<string> = new Set([
  'enum',
  'const',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'uniqueItems',
]);
