import { createBudget } from '../check/budget.js';
import { canonicalText } from '../check/canonicalText.js';
import type { Place } from '../check/place.js';
import { isNumber, isObject, type JsonObject, type JsonValue } from '../json/exactJson.js';
import { compareNumbers, isOverlong } from '../json/exactNumber.js';
import { typeBits, type Keyword } from '../program/keywords.js';
import { demand } from './limits.js';
import {
  distinctTexts,
  itemsOf,
  listValue,
  membersOf,
  numberValue,
  sizeValue,
  someItemsOf,
  textValue,
} from './values.js';

/** The parts of the compiler that keywords need. */
export interface KeywordContext {
  /** The subschema that contains the keyword. */
  readonly schema: JsonObject;
  /** The place of the subschema. */
  readonly schemaPlace: Place;
  /** @returns the index of the node of a subschema */
  readonly node: (schema: JsonValue, place: Place) => number;
  /** @returns the index of a pattern */
  readonly pattern: (pattern: string, place: Place) => number;
  /** @returns a keyword whose node is set when all subschemas are known */
  readonly reference: (reference: string, place: Place) => Keyword<'reference'>;
  /** Counts the values of an `enum` or `const`. */
  readonly countValues: (count: number, place: Place) => void;
}

type KeywordCompiler = (value: JsonValue, place: Place, context: KeywordContext) => Keyword | null;

/** The compilers of the keywords. They return null for a keyword that another one includes. */
const keywordCompilers: Readonly<Record<string, KeywordCompiler>> = {
  type: (value, place) => ({ keyword: 'type', types: typesOf(value, place) }),
  enum: (value, place, context) => {
    const values = listValue(value, place);
    context.countValues(values.length, place);
    return { keyword: 'enum', texts: new Set(values.map((item) => valueText(item, place))) };
  },
  const: (value, place) => ({ keyword: 'const', texts: new Set([valueText(value, place)]) }),
  minimum: numberLimit('minimum'),
  maximum: numberLimit('maximum'),
  exclusiveMinimum: numberLimit('exclusiveMinimum'),
  exclusiveMaximum: numberLimit('exclusiveMaximum'),
  multipleOf: (value, place) => {
    const limit = numberValue(value, place);
    demand(compareNumbers(limit, 0) > 0, place, 'The value must be greater than 0.');
    return { keyword: 'multipleOf', limit };
  },
  minLength: sizeLimit('minLength'),
  maxLength: sizeLimit('maxLength'),
  minItems: sizeLimit('minItems'),
  maxItems: sizeLimit('maxItems'),
  minProperties: sizeLimit('minProperties'),
  maxProperties: sizeLimit('maxProperties'),
  pattern: (value, place, { pattern }) => ({
    keyword: 'pattern',
    pattern: pattern(textValue(value, place), place),
  }),
  uniqueItems: (value, place) => {
    demand(typeof value === 'boolean', place, 'The value must be a boolean.');
    return value ? { keyword: 'uniqueItems' } : null;
  },
  required: (value, place) => ({ keyword: 'required', names: distinctTexts(value, place) }),
  dependentRequired: (value, place) => ({
    keyword: 'dependentRequired',
    names: membersOf(value, place).map(([name, names, member]) => [name, distinctTexts(names, member)]),
  }),
  properties: namedNodes('properties'),
  patternProperties: (value, place, { node, pattern }) => ({
    keyword: 'patternProperties',
    nodes: membersOf(value, place).map(([name, schema, member]) => [
      pattern(name, member),
      node(schema, member),
    ]),
  }),
  additionalProperties: (value, place, context) => {
    const neighbor = (name: string): readonly string[] => Object.keys(objectOrEmpty(context.schema[name]));
    return {
      keyword: 'additionalProperties',
      node: context.node(value, place),
      names: new Set(neighbor('properties').map((name) => valueText(name, place))),
      patterns: neighbor('patternProperties').map((text) => context.pattern(text, place)),
    };
  },
  propertyNames: singleNode('propertyNames'),
  prefixItems: nodeList('prefixItems'),
  items: (value, place, { node, schema }) => {
    const prefix = schema['prefixItems'];
    return { keyword: 'items', node: node(value, place), start: Array.isArray(prefix) ? prefix.length : 0 };
  },
  contains: (value, place, { node, schema, schemaPlace }) => {
    const size = (name: string, otherwise: number): number =>
      Object.hasOwn(schema, name)
        ? sizeValue(schema[name] ?? null, { parent: schemaPlace, key: name })
        : otherwise;
    return {
      keyword: 'contains',
      node: node(value, place),
      minimum: size('minContains', 1),
      maximum: size('maxContains', Number.POSITIVE_INFINITY),
    };
  },
  minContains: sizeAnnotation,
  maxContains: sizeAnnotation,
  $ref: (value, place, { reference }) => reference(textValue(value, place), place),
  // Only one resource exists, so the dynamic scope has one anchor of each name.
  $dynamicRef: (value, place, { reference }) => reference(textValue(value, place), place),
  allOf: nodeList('allOf'),
  anyOf: nodeList('anyOf'),
  oneOf: nodeList('oneOf'),
  not: singleNode('not'),
  if: (value, place, { node, schema, schemaPlace }) => {
    const branch = (name: string): number | null =>
      Object.hasOwn(schema, name) ? node(schema[name] ?? null, { parent: schemaPlace, key: name }) : null;
    return { keyword: 'if', node: node(value, place), then: branch('then'), else: branch('else') };
  },
  then: nodeAnnotation,
  else: nodeAnnotation,
  dependentSchemas: namedNodes('dependentSchemas'),
  unevaluatedItems: singleNode('unevaluatedItems'),
  unevaluatedProperties: singleNode('unevaluatedProperties'),
  contentSchema: nodeAnnotation,
  $defs: definitions,
  definitions,
};

/** The compiler of a keyword, or null for a name that has no effect. */
export function keywordCompiler(name: string): KeywordCompiler | null {
  return Object.hasOwn(keywordCompilers, name) ? (keywordCompilers[name] ?? null) : null;
}

function numberLimit(keyword: 'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum') {
  return (value: JsonValue, place: Place): Keyword => ({ keyword, limit: numberValue(value, place) });
}

function sizeLimit(
  keyword: 'minLength' | 'maxLength' | 'minItems' | 'maxItems' | 'minProperties' | 'maxProperties',
) {
  return (value: JsonValue, place: Place): Keyword => ({ keyword, limit: sizeValue(value, place) });
}

function singleNode(keyword: 'not' | 'propertyNames' | 'unevaluatedItems' | 'unevaluatedProperties') {
  return (value: JsonValue, place: Place, { node }: KeywordContext): Keyword => ({
    keyword,
    node: node(value, place),
  });
}

function nodeList(keyword: 'allOf' | 'anyOf' | 'oneOf' | 'prefixItems') {
  return (value: JsonValue, place: Place, { node }: KeywordContext): Keyword => ({
    keyword,
    nodes: someItemsOf(value, place).map(([schema, item]) => node(schema, item)),
  });
}

function namedNodes(keyword: 'properties' | 'dependentSchemas') {
  return (value: JsonValue, place: Place, { node }: KeywordContext): Keyword => ({
    keyword,
    nodes: membersOf(value, place).map(([name, schema, member]) => [name, node(schema, member)]),
  });
}

/** A size that another keyword includes. It is checked, because its keyword may be missing. */
function sizeAnnotation(value: JsonValue, place: Place): null {
  sizeValue(value, place);
  return null;
}

/** A subschema that applies to nothing, or that another keyword includes. It may contain anchors. */
function nodeAnnotation(value: JsonValue, place: Place, { node }: KeywordContext): null {
  node(value, place);
  return null;
}

/** Subschemas that apply only if a reference names them. */
function definitions(value: JsonValue, place: Place, { node }: KeywordContext): null {
  for (const [, schema, member] of membersOf(value, place)) {
    node(schema, member);
  }
  return null;
}

function typesOf(value: JsonValue, place: Place): number {
  const names = typeof value === 'string' ? [value] : distinctTexts(value, place);
  demand(names.length > 0, place, 'The list must not be empty.');
  const bits = new Map<string, number>(Object.entries(typeBits));
  return names.reduce((types, name) => {
    const bit = bits.get(name);
    demand(bit !== undefined, place, `Unknown type. The types are ${[...bits.keys()].join(', ')}.`);
    return types | bit;
  }, 0);
}

function valueText(value: JsonValue, place: Place): string {
  demand(!containsOverlong(value), place, 'A number has too many digits.');
  return canonicalText(value, createBudget(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY));
}

function containsOverlong(value: JsonValue): boolean {
  if (isNumber(value)) {
    return isOverlong(value);
  }
  return typeof value === 'object' && value !== null && itemsOrMembers(value).some(containsOverlong);
}

function itemsOrMembers(value: JsonValue): readonly JsonValue[] {
  return isObject(value)
    ? Object.values(value)
    : itemsOf(value, { parent: null, key: '' }).map(([item]) => item);
}

function objectOrEmpty(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isObject(value) ? value : {};
}
