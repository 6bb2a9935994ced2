import type { JsonObject, JsonValue } from '../../../../shared/jsonSchema/json/exactJson.js';
import { pascalCase } from './componentNames.js';
import { isObject, mapKeyword, subschemasOf, type Subschema } from './schemaKeywords.js';

/** A schema as components of a document, which refer to each other by their names. */
export type SchemaComponents = ReadonlyMap<string, JsonValue>;

/** The path of a subschema from the root of its schema, as text that identifies it. */
type PathText = string;

interface Place {
  readonly path: readonly string[];
  readonly schema: JsonValue;
}

const root: readonly string[] = [];

/**
 * Splits a schema into components. Code generators resolve neither anchors nor references into other schemas. So each
 * member of `$defs`, and each subschema that a reference names, becomes a component. All references are rewritten.
 * @param schema a schema that the compiler has accepted, so each reference has a target in the schema
 * @param name the name of the component of the whole schema
 * @param unique returns a name that no other component has
 */
export function componentsOf(
  schema: JsonValue,
  name: string,
  unique: (name: string) => string,
): SchemaComponents {
  const { places, targetOf } = referencedPlaces(schema);
  const names = new Map<PathText, string>([[textOf(root), name]]);
  for (const [text, { path }] of places) {
    if (!names.has(text)) {
      names.set(text, unique(`${name}${nameOfPath(path)}`));
    }
  }

  const referenceTo = (reference: JsonValue | undefined) =>
    typeof reference === 'string'
      ? [{ $ref: `#/components/schemas/${names.get(textOf(targetOf(reference))) ?? name}` }]
      : [];

  const replaced = ({ path, schema: value }: Place): JsonValue => {
    const component = names.get(textOf(path));
    return component === undefined
      ? rewritten({ path, schema: value })
      : { $ref: `#/components/schemas/${component}` };
  };

  const rewritten = ({ path, schema: value }: Place): JsonValue => {
    if (!isObject(value)) {
      return generalized(value, path.at(-1));
    }
    const below = (subschema: Subschema) =>
      replaced({ path: [...path, ...subschema.path], schema: subschema.schema });
    const members = Object.entries(value).flatMap(([keyword, content]) => {
      const mapped = mapKeyword(keyword, content, below);
      return mapped === undefined ? [] : [[keyword, mapped] as const];
    });
    const references = [...referenceTo(value['$ref']), ...referenceTo(value['$dynamicRef'])];
    return withReferences(Object.fromEntries(members), references);
  };

  return new Map(
    [...places].map(([text, place]) => [names.get(text) ?? name, withoutBoolean(rewritten(place))]),
  );
}

/**
 * The places of a schema that become components: the root, the members of `$defs`, and the targets of references. The
 * function follows references into keywords that JSON Schema does not define, such as `definitions`.
 */
function referencedPlaces(schema: JsonValue) {
  const targetOf = createTargets(schema);
  const places = new Map<PathText, Place>();
  const waiting: Place[] = [];
  const visited = new Set<PathText>();

  const add = (place: Place) => {
    if (!places.has(textOf(place.path))) {
      places.set(textOf(place.path), place);
      waiting.push(place);
    }
  };

  add({ path: root, schema });
  placesBelow({ path: root, schema })
    .filter(({ path }) => path[0] === '$defs')
    .forEach(add);
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const text = textOf(place.path);
    if (!visited.has(text)) {
      visited.add(text);
      textsIn(place.schema, ['$ref', '$dynamicRef'])
        .map(targetOf)
        .forEach((path) => {
          add({ path, schema: valueAt(schema, path) });
        });
      waiting.push(...placesBelow(place));
    }
  }
  return { places, targetOf };
}

/** Creates the function that finds the path to which a reference leads. */
function createTargets(schema: JsonValue): (reference: string) => readonly string[] {
  const anchors = anchorsOf(schema);
  const [id = ''] = textsIn(schema, ['$id']);
  const base = id.split('#', 1)[0] ?? '';
  return (reference) => {
    const local = base !== '' && reference.startsWith(base) ? reference.slice(base.length) : reference;
    const fragment = decoded(local.replace(/^#/, ''));
    return fragment === '' || fragment.startsWith('/') ? pathOf(fragment) : (anchors.get(fragment) ?? root);
  };
}

/** The paths of the subschemas with an anchor. */
function anchorsOf(schema: JsonValue): ReadonlyMap<string, readonly string[]> {
  const anchors = new Map<string, readonly string[]>();
  const waiting: Place[] = [{ path: root, schema }];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    for (const anchor of textsIn(place.schema, ['$anchor', '$dynamicAnchor'])) {
      anchors.set(anchor, place.path);
    }
    waiting.push(...placesBelow(place));
  }
  return anchors;
}

/** The subschemas of a place, with their paths from the root. */
function placesBelow({ path, schema }: Place): readonly Place[] {
  return isObject(schema)
    ? subschemasOf(schema).map((member) => ({ path: [...path, ...member.path], schema: member.schema }))
    : [];
}

/** The texts that these keywords of a schema have. */
function textsIn(schema: JsonValue, keywords: readonly string[]): readonly string[] {
  return isObject(schema)
    ? keywords.map((keyword) => schema[keyword]).filter((value) => typeof value === 'string')
    : [];
}

/** The path of a JSON pointer (RFC 6901). */
function pathOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function valueAt(schema: JsonValue, path: readonly string[]): JsonValue {
  return path.reduce<JsonValue>((value, part) => {
    if (Array.isArray(value)) {
      return (value as readonly JsonValue[])[Number(part)] ?? true;
    }
    return isObject(value) && Object.hasOwn(value, part) ? (value[part] ?? true) : true;
  }, schema);
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function textOf(path: readonly string[]): PathText {
  return JSON.stringify(path);
}

/** Keywords in a path that add nothing to the name of a component. */
const structure: ReadonlySet<string> = new Set(['$defs', 'definitions', 'properties']);

function nameOfPath(path: readonly string[]): string {
  const name = path.filter((part) => !structure.has(part)).map(pascalCase);
  return name.join('') || 'Schema';
}

/** Keywords for which every generator knows `false` and `true`. */
const booleanKeywords: readonly unknown[] = [
  'additionalProperties',
  'items',
  'unevaluatedItems',
  'unevaluatedProperties',
];

/** A boolean schema, in a form that code generators know. */
function generalized(schema: JsonValue, keyword: string | undefined): JsonValue {
  return booleanKeywords.includes(keyword) ? schema : withoutBoolean(schema);
}

function withoutBoolean(schema: JsonValue): JsonValue {
  return typeof schema === 'boolean' ? (schema ? {} : { not: {} }) : schema;
}

function withReferences(schema: JsonObject, references: readonly JsonObject[]): JsonObject {
  const [first, ...others] = references;
  if (first === undefined) {
    return schema;
  }
  const allOf = Array.isArray(schema['allOf']) ? (schema['allOf'] as readonly JsonValue[]) : [];
  return others.length === 0
    ? { ...first, ...schema }
    : { ...first, ...schema, allOf: [...allOf, ...others] };
}
