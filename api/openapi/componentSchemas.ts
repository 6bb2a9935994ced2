import { z } from 'zod';

import type { JsonSchema } from './openApiTypes.js';

/** Zod schemas as JSON Schema. A schema with an id becomes a component, to which other schemas refer. */
export interface SchemaCollection {
  /** The JSON Schema of a request. */
  readonly input: (schema: z.ZodType) => JsonSchema;
  /** The JSON Schema of a response. Objects of a response are open, because fields are added without notice. */
  readonly output: (schema: z.ZodType) => JsonSchema;
  /** The schemas with an id that were converted so far, by id. */
  readonly components: () => Readonly<Record<string, JsonSchema>>;
}

const definitions = '#/$defs/';

export function createSchemaCollection(): SchemaCollection {
  const components = new Map<string, JsonSchema>();

  const convert = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
    const {
      $schema: _,
      $defs = {},
      ...root
    } = withComponentReferences(z.toJSONSchema(schema, { io, override: simplify }), io);
    for (const [id, component] of Object.entries($defs)) {
      components.set(id, component);
    }
    return root;
  };

  return {
    input: (schema) => convert(schema, 'input'),
    output: (schema) => convert(schema, 'output'),
    components: () => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function withComponentReferences(schema: JsonSchema, io: 'input' | 'output'): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string') {
      return value.replace(definitions, '#/components/schemas/');
    }
    if (key === 'additionalProperties' && value === false && io === 'output') {
      return undefined;
    }
    return isSchema(value) ? withNullableType(value) : value;
  }) as JsonSchema;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Writes "this type or null" as a list of types. Generators create a separate type for each `anyOf`. */
function withNullableType(schema: JsonSchema): JsonSchema {
  const { anyOf, ...others } = schema;
  const [first, second, ...more] = anyOf ?? [];
  const isNullable = isSchema(second) && second.type === 'null' && more.length === 0;
  if (!isNullable || !isSchema(first) || typeof first.type !== 'string') {
    return schema;
  }
  const values = first.enum === undefined ? {} : { enum: [...first.enum, null] };
  return { ...first, ...others, ...values, type: [first.type, 'null'] };
}

interface Override {
  readonly zodSchema: z.core.$ZodTypes;
  readonly jsonSchema: JsonSchema;
}

/** Replaces a schema by its `describedAs`, if the generated schema is less precise or too detailed. */
function simplify({ zodSchema, jsonSchema }: Override): void {
  const { describedAs } = z.globalRegistry.get(zodSchema) ?? {};
  if (typeof describedAs === 'object') {
    const { description } = jsonSchema;
    for (const keyword of Object.keys(jsonSchema)) {
      Reflect.deleteProperty(jsonSchema, keyword);
    }
    Object.assign(jsonSchema, { description }, describedAs);
  }
  if (jsonSchema.format === 'date-time') {
    // The pattern that zod generates for a time contains the days of each month. Generators know the format.
    Reflect.deleteProperty(jsonSchema, 'pattern');
  }
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) {
    Reflect.deleteProperty(jsonSchema, 'minimum');
  }
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) {
    Reflect.deleteProperty(jsonSchema, 'maximum');
  }
}
