import { isDeepStrictEqual } from 'node:util';

import { scopedFencePattern } from '../../../shared/log/records/fence.js';
import type { JsonSchema, TopicSchemas } from './jsonSchemas.js';

type Topics = Readonly<Record<string, TopicSchemas>>;

/** The faults of a change of a schema at `path`. */
type Comparison = (before: JsonSchema, after: JsonSchema, path: string) => readonly string[];

/**
 * The changes of the topics that would break a reader. A subscriber of the last release must be able to read new records, and this
 * version must be able to read old ones, permanently. Only changes that are known to be harmless are allowed:
 * - a new topic, type, optional field or value of an enumeration
 * - another description
 * - a pattern of `declaredPatterns`
 */
export function refusedChanges(released: Topics, current: Topics): readonly string[] {
  return Object.entries(released).flatMap(([name, before]) => {
    const after = current[name];
    return after === undefined ? [`${name}: the topic is gone`] : refusedInTopic(name, before, after);
  });
}

function refusedInTopic(name: string, before: TopicSchemas, after: TopicSchemas): readonly string[] {
  return [
    ...(before.key === after.key ? [] : [`${name}: the key is ${after.key} and was ${before.key}`]),
    ...refusedInSchema(before.headers, after.headers, `${name}, headers`),
    ...Object.entries(before.values).flatMap(([type, schema]) => {
      const changed = after.values[type];
      return changed === undefined
        ? [`${name}: the type ${type} is gone. Keep it as an earlier type.`]
        : refusedInSchema(schema, changed, type);
    }),
  ];
}

const refusedInSchema: Comparison = (before, after, path) => {
  const keywords = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keywords].flatMap((keyword) => {
    const compare = comparisons.get(keyword) ?? mustBeEqual(keyword);
    return compare(before, after, path);
  });
};

const anyChange: Comparison = () => [];

const properties: Comparison = (before, after, path) => {
  const fields = schemasIn(after['properties']);
  return Object.entries(schemasIn(before['properties'])).flatMap(([field, schema]) => {
    const changed = fields[field];
    return changed === undefined
      ? [`${path}.${field} is gone`]
      : refusedInSchema(schema, changed, `${path}.${field}`);
  });
};

const required: Comparison = (before, after, path) => {
  const [was, is] = [listIn(before['required']), listIn(after['required'])];
  return [
    ...was.filter((field) => !is.includes(field)).map((field) => `${path}.${String(field)} may be missing`),
    ...is
      .filter((field) => !was.includes(field))
      .map((field) => `${path}.${String(field)} is required, and older records do not have it`),
  ];
};

const enumeration: Comparison = (before, after, path) => {
  if (before['enum'] === undefined || after['enum'] === undefined) {
    return mustBeEqual('enum')(before, after, path);
  }
  const is = listIn(after['enum']);
  return listIn(before['enum'])
    .filter((value) => !is.includes(value))
    .map((value) => `${path} may no longer be ${String(value)}, and older records are`);
};

const alternatives: Comparison = (before, after, path) => {
  const [was, is] = [listIn(before['anyOf']), listIn(after['anyOf'])];
  return was.length === is.length
    ? was.flatMap((schema, index) => refusedInSchema(schemaIn(schema), schemaIn(is[index]), path))
    : [`${path} has ${is.length} alternatives and had ${was.length}`];
};

/** The comparison of a nested schema: of the elements of a list, or of the values of a map. */
function nested(keyword: string): Comparison {
  return (before, after, path) => {
    const [was, is] = [before[keyword], after[keyword]];
    return isSchema(was) && isSchema(is)
      ? refusedInSchema(was, is, `${path}.${keyword}`)
      : mustBeEqual(keyword)(before, after, path);
  };
}

/** The comparison of an unknown keyword, whose change may break a reader. */
function mustBeEqual(keyword: string): Comparison {
  return (before, after, path) =>
    isDeepStrictEqual(before[keyword], after[keyword])
      ? []
      : [
          `${path}: ${keyword} is ${JSON.stringify(after[keyword])} and was ${JSON.stringify(before[keyword])}`,
        ];
}

/**
 * The changes of patterns that break a reader on purpose. A version without tenants cannot read the number of a tenant's
 * lease. It appends the record to the dead letters, instead of sending the events of all tenants to one of them (ADR 26).
 */
const declaredPatterns = ['webhooks', 'replays'].map((topic) => ({
  path: `${topic}, headers.ce_fence`,
  was: String.raw`^[1-9]\d{0,15}$`,
  is: scopedFencePattern.source,
}));

const pattern: Comparison = (before, after, path) =>
  declaredPatterns.some(
    (declared) =>
      declared.path === path && declared.was === before['pattern'] && declared.is === after['pattern'],
  )
    ? []
    : mustBeEqual('pattern')(before, after, path);

const comparisons: ReadonlyMap<string, Comparison> = new Map([
  ['description', anyChange],
  ['title', anyChange],
  ['properties', properties],
  ['required', required],
  ['enum', enumeration],
  ['anyOf', alternatives],
  ['pattern', pattern],
  ['items', nested('items')],
  ['additionalProperties', nested('additionalProperties')],
]);

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function schemaIn(value: unknown): JsonSchema {
  return isSchema(value) ? value : {};
}

function schemasIn(value: unknown): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(schemaIn(value)).map(([name, schema]) => [name, schemaIn(schema)]),
  );
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
