import type { Api, Field, ObjectType, Operation, TypeReference } from '../model.js';
import { snakeCase } from './names.js';
import type { References } from './references.js';

/** An argument of a method. */
export interface Parameter {
  readonly name: string;
  /** The Python form of the name in the request. It differs from the name of the argument only in a stream. */
  readonly sentAs: string;
  readonly annotation: string;
  readonly isRequired: boolean;
  readonly description: string;
}

/** The arguments of a method, by their place in the request. */
export interface Signature {
  readonly path: readonly Parameter[];
  readonly body: readonly Parameter[];
  readonly query: readonly Parameter[];
  /** Those that the library itself adds. */
  readonly added: readonly Parameter[];
}

const added = { annotation: 'str | None', isRequired: false } as const;
const idempotencyKey: Parameter = {
  ...added,
  name: 'idempotency_key',
  sentAs: 'idempotency_key',
  description:
    'Repeats an earlier call that had this key. By default each call has its own, which its retries share.',
};
const lastEventId: Parameter = {
  ...added,
  name: 'last_event_id',
  sentAs: 'last_event_id',
  description: 'The last event that you have received. The stream begins about a minute before it.',
};

/**
 * The arguments of the method of an operation.
 * @throws Error if two of them have the same name
 */
export function signatureOf(api: Api, operation: Operation, references: References): Signature {
  const path = operation.pathParameters.map((field) => parameterOf(field, references));
  const isInPath = ({ name }: Field): boolean =>
    operation.pathParameters.some((other) => other.name === name);
  const fields = operation.body === null ? [] : bodyFields(api, operation.body.type);
  const body = fields.filter((field) => !isInPath(field)).map((field) => parameterOf(field, references));
  const isStream = operation.result.kind === 'stream';
  const query = operation.queryParameters.map((field) => queryParameterOf(field, isStream, references));
  const signature = {
    path,
    body,
    query,
    added: [...(operation.takesIdempotencyKey ? [idempotencyKey] : []), ...(isStream ? [lastEventId] : [])],
  };
  const names = parametersOf(signature).map(({ name }) => name);
  if (new Set(names).size < names.length) {
    throw new Error(`${operation.id} has two parameters of the same name`);
  }
  return signature;
}

/** The arguments in their order: those of the path, the required ones, and the others. */
export function parametersOf({ path, body, query, added: others }: Signature): readonly Parameter[] {
  const named = [...body, ...query, ...others];
  return [
    ...path,
    ...named.filter(({ isRequired }) => isRequired),
    ...named.filter(({ isRequired }) => !isRequired),
  ];
}

function bodyFields({ types }: Api, type: TypeReference): readonly Field[] {
  const named = types.find(({ name }) => type.kind === 'named' && type.name === name);
  const definition: ObjectType | TypeReference | undefined = named?.definition;
  if (definition?.kind !== 'object') {
    throw new Error('a body is no named object');
  }
  return definition.fields;
}

function queryParameterOf(field: Field, isStream: boolean, references: References): Parameter {
  const parameter = parameterOf(field, references);
  if (field.type.kind !== 'array') {
    return parameter;
  }
  const item = references.annotation(field.type.items, 'input');
  return {
    ...parameter,
    // A stream has a list of types where a list of events has a filter.
    name: isStream ? `${parameter.name}s` : parameter.name,
    annotation: `${item} | ${parameter.annotation}`,
  };
}

function parameterOf({ name, type, isRequired, description }: Field, references: References): Parameter {
  return {
    name: snakeCase(name),
    sentAs: snakeCase(name),
    annotation: references.annotation(type, 'input'),
    isRequired,
    description,
  };
}
