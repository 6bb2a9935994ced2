import type { JsonObject, JsonValue } from '../../../../shared/jsonSchema/json/exactJson.js';
import { ExactNumber } from '../../../../shared/jsonSchema/json/exactNumber.js';

/** Keywords of JSON Schema 2020-12 whose value is a schema. */
const schemaKeywords: ReadonlySet<string> = new Set([
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

/** Keywords whose value is a list of schemas. */
const listKeywords: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);

/** Keywords whose value is an object of schemas. */
const mapKeywords: ReadonlySet<string> = new Set([
  '$defs',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

/** Keywords whose value is no schema, and that say something to code generators and their users. */
const plainKeywords: ReadonlySet<string> = new Set([
  'const',
  'contentEncoding',
  'contentMediaType',
  'default',
  'dependentRequired',
  'deprecated',
  'description',
  'enum',
  'examples',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'maxContains',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minContains',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'multipleOf',
  'pattern',
  'readOnly',
  'required',
  'title',
  'type',
  'uniqueItems',
  'writeOnly',
]);

/** A subschema with the path from its parent: the keyword, and the name or the index below the keyword. */
export interface Subschema {
  readonly path: readonly string[];
  readonly schema: JsonValue;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

/** The subschemas of a schema, by the keywords of JSON Schema 2020-12. */
export function subschemasOf(schema: JsonObject): readonly Subschema[] {
  return Object.entries(schema).flatMap(([keyword, value]) => subschemasBelow(keyword, value));
}

function subschemasBelow(keyword: string, value: JsonValue): readonly Subschema[] {
  if (schemaKeywords.has(keyword)) {
    return [{ path: [keyword], schema: value }];
  }
  if (listKeywords.has(keyword) && Array.isArray(value)) {
    return value.map((schema: JsonValue, index) => ({ path: [keyword, String(index)], schema }));
  }
  return mapKeywords.has(keyword) && isObject(value)
    ? Object.entries(value).map(([name, schema]) => ({ path: [keyword, name], schema }))
    : [];
}

/**
 * The value of a keyword with each subschema replaced, or undefined for a keyword that the document omits. It omits
 * keywords that only identify schemas, and keywords that JSON Schema 2020-12 does not define.
 */
export function mapKeyword(
  keyword: string,
  value: JsonValue,
  replace: (subschema: Subschema) => JsonValue,
): JsonValue | undefined {
  if (schemaKeywords.has(keyword)) {
    return replace({ path: [keyword], schema: value });
  }
  if (listKeywords.has(keyword) && Array.isArray(value)) {
    return value.map((schema: JsonValue, index) => replace({ path: [keyword, String(index)], schema }));
  }
  if (mapKeywords.has(keyword) && isObject(value)) {
    return mapMembers(keyword, value, replace);
  }
  return plainKeywords.has(keyword) || keyword.startsWith('x-') ? value : undefined;
}

function mapMembers(
  keyword: string,
  value: JsonObject,
  replace: (subschema: Subschema) => JsonValue,
): JsonValue | undefined {
  const members = Object.entries(value);
  return keyword === '$defs'
    ? undefined
    : Object.fromEntries(members.map(([name, schema]) => [name, replace({ path: [keyword, name], schema })]));
}
