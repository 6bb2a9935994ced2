import type { Place } from '../check/place.js';
import { isList, isObject, type JsonObject, type JsonValue } from '../json/exactJson.js';
import { demand } from './limits.js';
import { textValue } from './values.js';

/** A subschema and its place. */
export interface PlacedSchema {
  readonly schema: JsonValue;
  readonly place: Place;
}

/** The anchors of a schema, and the subschemas that references name. */
export interface References {
  /** Reads `$id`, `$schema`, `$anchor` and similar keywords of a subschema. */
  readonly declare: (schema: JsonObject, place: Place) => void;
  /** The subschema that a reference names. Call this after all subschemas have been declared. */
  readonly resolve: (reference: string, place: Place) => PlacedSchema;
}

const supportedDialect = 'https://json-schema.org/draft/2020-12/schema';

/** The base for references in a schema without an `$id`. */
const localBase = 'schema:///';

const anchorName = /^[A-Za-z_][-A-Za-z0-9._]*$/;

export function createReferences(root: PlacedSchema): References {
  const anchors = new Map<string, PlacedSchema>();
  const base = baseOf(root);

  function declareAnchor(schema: JsonObject, name: '$anchor' | '$dynamicAnchor', place: Place): void {
    const value = schema[name];
    if (value === undefined) {
      return;
    }
    const valuePlace = { parent: place, key: name };
    const anchor = textValue(value, valuePlace);
    demand(anchorName.test(anchor), valuePlace, 'An anchor begins with a letter or `_`.');
    const isFree = (anchors.get(anchor)?.schema ?? schema) === schema;
    demand(isFree, valuePlace, 'Two subschemas have the same anchor.');
    anchors.set(anchor, { schema, place });
  }

  return {
    declare: (schema, place) => {
      rejectOtherDialects(schema, place);
      const isRoot = schema === root.schema;
      demand(
        isRoot || !Object.hasOwn(schema, '$id'),
        { parent: place, key: '$id' },
        'Only the root may have an `$id`.',
      );
      declareAnchor(schema, '$anchor', place);
      declareAnchor(schema, '$dynamicAnchor', place);
    },
    resolve: (reference, place) => {
      const fragment = fragmentOf(reference, base);
      demand(fragment !== null, place, 'The reference must stay within the schema.');
      const target =
        fragment === '' || fragment.startsWith('/') ? followPointer(root, fragment) : anchors.get(fragment);
      demand(target !== undefined, place, 'The reference names no subschema of this schema.');
      const { schema } = target;
      demand(typeof schema === 'boolean' || isObject(schema), place, 'The reference names no schema.');
      return target;
    },
  };
}

function rejectOtherDialects(schema: JsonObject, place: Place): void {
  const dialect = schema['$schema'];
  const isSupported =
    dialect === undefined || dialect === supportedDialect || dialect === `${supportedDialect}#`;
  demand(isSupported, { parent: place, key: '$schema' }, `Only ${supportedDialect} is supported.`);
  const earlier = ['$vocabulary', '$recursiveRef', '$recursiveAnchor', 'additionalItems', 'dependencies'];
  for (const key of earlier) {
    demand(!Object.hasOwn(schema, key), { parent: place, key }, `\`${key}\` is not supported.`);
  }
}

function baseOf({ schema, place }: PlacedSchema): string {
  const id = isObject(schema) ? schema['$id'] : undefined;
  if (id === undefined) {
    return localBase;
  }
  const idPlace = { parent: place, key: '$id' };
  const text = textValue(id, idPlace);
  const isValid = URL.canParse(text, localBase) && fragmentIsEmpty(text);
  demand(isValid, idPlace, 'The value must be a URI without a fragment.');
  return new URL(text, localBase).href;
}

function fragmentIsEmpty(uri: string): boolean {
  const at = uri.indexOf('#');
  return at === -1 || at === uri.length - 1;
}

/** The decoded fragment of a reference, or null if it leaves the schema. */
function fragmentOf(reference: string, base: string): string | null {
  if (!URL.canParse(reference, base)) {
    return null;
  }
  const url = new URL(reference, base);
  const fragment = url.hash.slice(1);
  url.hash = '';
  const target = url.href.replace(/#$/, '');
  try {
    return target === base.replace(/#$/, '') ? decodeURIComponent(fragment) : null;
  } catch {
    return null;
  }
}

/** Follows a JSON pointer (RFC 6901). */
function followPointer(root: PlacedSchema, pointer: string): PlacedSchema | undefined {
  let target: PlacedSchema | undefined = root;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    target = target === undefined ? undefined : childOf(target, name);
  }
  return target;
}

function childOf({ schema, place }: PlacedSchema, name: string): PlacedSchema | undefined {
  if (isList(schema)) {
    const index = /^(0|[1-9]\d*)$/.test(name) ? Number(name) : -1;
    const item = schema[index];
    return item === undefined ? undefined : { schema: item, place: { parent: place, key: index } };
  }
  if (!isObject(schema) || !Object.hasOwn(schema, name)) {
    return undefined;
  }
  return { schema: schema[name] ?? null, place: { parent: place, key: name } };
}
