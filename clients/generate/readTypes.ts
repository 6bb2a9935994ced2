import type { JsonSchema } from '../../api/openapi/openApiTypes.js';
import type { ObjectType, TypeReference } from './model.js';

type Schemas = Readonly<Record<string, JsonSchema>>;

/**
 * The definition of a named type.
 * @throws Error if the document has no such type, or if the model has no such type
 */
export function definitionOf(schemas: Schemas, name: string): ObjectType | TypeReference {
  const schema = schemas[name];
  if (schema === undefined) {
    throw new Error(`the document has no schema ${name}`);
  }
  return schema.properties === undefined ? typeOf(schema, name) : objectOf(schema, name);
}

function objectOf(
  { properties = {}, required = [], additionalProperties }: JsonSchema,
  name: string,
): ObjectType {
  return {
    kind: 'object',
    fields: Object.entries(properties).map(([field, property]) => ({
      name: field,
      type: typeOf(property, `${name}.${field}`),
      isRequired: required.includes(field),
      description: descriptionOf(property),
    })),
    others: typeof additionalProperties === 'object' ? typeOf(additionalProperties, `${name}.*`) : null,
  };
}

/** The description of a field, with its default. */
export function descriptionOf(schema: JsonSchema | boolean): string {
  const { description = '', default: value = null }: JsonSchema = typeof schema === 'boolean' ? {} : schema;
  return value === null
    ? description
    : `${description} The default is \`${JSON.stringify(value)}\`.`.trimStart();
}

/**
 * The type of a schema.
 * @param place where the schema is, for messages
 * @throws Error if the model has no such type
 */
export function typeOf(schema: JsonSchema | boolean, place: string): TypeReference {
  if (typeof schema === 'boolean') {
    return { kind: 'json' };
  }
  if (schema.$ref !== undefined) {
    return { kind: 'named', name: schema.$ref.split('/').at(-1) ?? '' };
  }
  if ('x-go-type' in schema) {
    return { kind: 'rawJson', isObject: schema.type === 'object' };
  }
  return unionOf(schema, place) ?? nullableOf(schema, place) ?? plainTypeOf(schema, place);
}

function unionOf({ oneOf, anyOf, discriminator }: JsonSchema, place: string): TypeReference | null {
  const members = oneOf ?? anyOf;
  if (members === undefined) {
    return null;
  }
  const types = members.filter((member) => !isNull(member)).map((member) => typeOf(member, place));
  const type = types.length > 1 ? discriminatedUnion(types, discriminator) : types[0];
  if (type === undefined) {
    throw unknownType(place);
  }
  return members.some(isNull) ? { kind: 'nullable', type } : type;
}

function discriminatedUnion(
  members: readonly TypeReference[],
  discriminator: unknown,
): TypeReference | undefined {
  return typeof discriminator === 'object' &&
    discriminator !== null &&
    'propertyName' in discriminator &&
    typeof discriminator.propertyName === 'string'
    ? { kind: 'union', members, discriminator: discriminator.propertyName }
    : undefined;
}

function isNull(schema: JsonSchema | boolean): boolean {
  return typeof schema === 'object' && schema.type === 'null';
}

/** The type of a schema whose `type` is a list of a type and null. */
function nullableOf(schema: JsonSchema, place: string): TypeReference | null {
  const { type } = schema;
  if (!Array.isArray(type)) {
    return null;
  }
  const [other, ...more] = (type as readonly JsonSchema['type'][]).filter((each) => each !== 'null');
  if (other === undefined || more.length > 0) {
    throw unknownType(place);
  }
  const values = schema.enum?.filter((value) => value !== null);
  const { enum: _, ...rest } = schema;
  return {
    kind: 'nullable',
    type: typeOf({ ...rest, ...(values !== undefined && { enum: values }), type: other }, place),
  };
}

function plainTypeOf(schema: JsonSchema, place: string): TypeReference {
  const { type, format, items, additionalProperties, properties } = schema;
  const values = schema.const === undefined ? schema.enum : [schema.const];
  if (values !== undefined) {
    return { kind: 'literals', values: values.filter(isLiteral) };
  }
  switch (type) {
    case 'string':
      return { kind: 'string', format: isKnownFormat(format) ? format : null };
    case 'integer':
    case 'number':
    case 'boolean':
      return { kind: type };
    case 'array':
      return { kind: 'array', items: typeOf(itemsOf(items, place), place) };
    case 'object':
      if (properties !== undefined) {
        throw new Error(`give the schema of ${place} a name`);
      }
      return { kind: 'map', values: typeOf(additionalProperties ?? true, place) };
    case undefined:
      return { kind: 'json' };
    default:
      throw unknownType(place);
  }
}

function isLiteral(value: unknown): value is string | boolean {
  return typeof value === 'string' || typeof value === 'boolean';
}

function isKnownFormat(format: string | undefined): format is 'date-time' | 'date' | 'uri' {
  return format === 'date-time' || format === 'date' || format === 'uri';
}

function itemsOf(items: JsonSchema['items'], place: string): JsonSchema | boolean {
  if (items === undefined || Array.isArray(items)) {
    throw unknownType(place);
  }
  return items;
}

/** The names of the types that a type refers to itself. */
export function typesIn(type: TypeReference): readonly string[] {
  switch (type.kind) {
    case 'named':
      return [type.name];
    case 'array':
      return typesIn(type.items);
    case 'map':
      return typesIn(type.values);
    case 'nullable':
      return typesIn(type.type);
    case 'union':
      return type.members.flatMap(typesIn);
    default:
      return [];
  }
}

function unknownType(place: string): Error {
  return new Error(`the schema of ${place} has a form that clients/generate/readTypes.ts does not know`);
}
