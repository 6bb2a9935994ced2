import type { JsonSchema } from '../../api/openapi/openApiTypes.js';
import type { Operation } from './model.js';

const flag = 'dryRun';
const suffix = 'OrDryRun';

type Schemas = Readonly<Record<string, JsonSchema>>;

/**
 * Splits an operation that changes nothing with `dryRun` into two methods. The API describes both results as one type,
 * `ReplayOrDryRun`, whose fields are therefore optional. A library has a type for each.
 */
export function splitDryRun(operation: Operation): readonly Operation[] {
  const { result, queryParameters, summary } = operation;
  if (result.kind !== 'single' || result.type.kind !== 'named' || !result.type.name.endsWith(suffix)) {
    return [operation];
  }
  const { name } = result.type;
  const isInQuery = queryParameters.some((parameter) => parameter.name === flag);
  const split = {
    ...operation,
    queryParameters: queryParameters.filter((parameter) => parameter.name !== flag),
  };
  const resultOf = (type: string) => ({ kind: 'single', type: { kind: 'named', name: type } }) as const;
  return [
    { ...split, result: resultOf(resultWithout(name)) },
    {
      ...split,
      name: flag,
      flag: { place: isInQuery ? 'query' : 'body', name: flag },
      result: resultOf(dryRunOf(name)),
      summary: `${summary}, as a dry run that changes nothing`,
    },
  ];
}

/** The schemas of a document for libraries: with a type for the result of each dry run, and without `dryRun` in bodies. */
export function splitDryRunSchemas(schemas: Schemas): Schemas {
  const others = Object.entries(schemas).map(([name, schema]) => [name, withoutFlag(schema)] as const);
  const dryRuns = Object.keys(schemas)
    .filter((name) => name.endsWith(suffix))
    .map((name) => [dryRunOf(name), dryRunSchema(schemas, name)] as const);
  return Object.fromEntries([...others, ...dryRuns]);
}

/** The fields that only a dry run has, and those that both have. A dry run has all of them, and none is null. */
function dryRunSchema(schemas: Schemas, name: string): JsonSchema {
  const { properties = {}, required = [] } = schemas[name] ?? {};
  const ofResult = schemas[resultWithout(name)]?.properties ?? {};
  const ofDryRun = Object.entries(properties).filter(
    ([field]) => ofResult[field] === undefined || required.includes(field),
  );
  return {
    type: 'object',
    description: 'What the request would do.',
    properties: Object.fromEntries(ofDryRun.map(([field, schema]) => [field, neverNull(schema)])),
    required: ofDryRun.map(([field]) => field),
  };
}

function neverNull(schema: JsonSchema | boolean): JsonSchema | boolean {
  if (typeof schema === 'boolean' || !Array.isArray(schema.type)) {
    return schema;
  }
  const [type] = (schema.type as readonly JsonSchema['type'][]).filter((each) => each !== 'null');
  return type === undefined ? schema : { ...schema, type };
}

function withoutFlag(schema: JsonSchema): JsonSchema {
  const { [flag]: _, ...properties } = schema.properties ?? {};
  return schema.properties === undefined ? schema : { ...schema, properties };
}

function resultWithout(name: string): string {
  return name.slice(0, -suffix.length);
}

function dryRunOf(name: string): string {
  return `${resultWithout(name)}DryRun`;
}
