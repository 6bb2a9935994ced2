import { z } from 'zod';

import {
  referenceTo,
  type JsonSchema,
  type OpenApiDocument,
  type Reference,
  type Response,
} from './openApiTypes.js';

/** The parts of the document that several operations share. They are collected while the operations are described. */
export interface Components {
  /** The JSON Schema of a request. A schema with an id becomes a component, to which other schemas refer. */
  readonly input: (schema: z.ZodType) => JsonSchema;
  /** The JSON Schema of a response. Its objects are open, because fields are added without notice. */
  readonly output: (schema: z.ZodType) => JsonSchema;
  /**
   * A response as a component, to which operations refer: repeated errors would be most of the document.
   * @throws Error if another response has the name
   */
  readonly response: (name: string, response: Response) => Reference;
  /** What was collected so far, by name. */
  readonly collected: () => Pick<OpenApiDocument['components'], 'schemas' | 'responses'>;
}

export function createComponents(): Components {
  const schemas = new Map<string, JsonSchema>();
  const responses = new Map<string, Response>();

  const convert = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
    const { $schema: _, $defs = {}, ...root } = jsonSchemaOf(schema, io);
    for (const [id, component] of Object.entries($defs)) {
      schemas.set(id, component);
    }
    return root;
  };

  return {
    input: (schema) => convert(schema, 'input'),
    output: (schema) => convert(schema, 'output'),
    response: (name, response) => {
      const known = responses.get(name);
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(response)) {
        throw new Error(`two responses have the name ${name}`);
      }
      responses.set(name, response);
      return referenceTo('responses', name);
    },
    collected: () => ({
      schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
      responses: Object.fromEntries(responses),
    }),
  };
}

function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const converted = z.toJSONSchema(schema, { io, override: (each) => simplify(each, io) });
  return JSON.parse(JSON.stringify(converted), (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string') {
      return value.replace('#/$defs/', '#/components/schemas/');
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

interface Conversion {
  readonly zodSchema: z.core.$ZodTypes;
  readonly jsonSchema: JsonSchema;
}

/** Replaces a schema by its `describedAs`, and deletes what zod adds and no reader needs. */
function simplify({ zodSchema, jsonSchema }: Conversion, io: 'input' | 'output'): void {
  const { describedAs } = z.globalRegistry.get(zodSchema) ?? {};
  const { description } = jsonSchema;
  const remove = (keywords: readonly string[]) =>
    keywords.forEach((keyword) => Reflect.deleteProperty(jsonSchema, keyword));
  if (typeof describedAs === 'object') {
    remove(Object.keys(jsonSchema));
    Object.assign(jsonSchema, { description }, describedAs);
  }
  if (jsonSchema.format === 'date-time' || jsonSchema.format === 'date') {
    // The pattern contains the days of each month. Generators know the format.
    remove(['pattern']);
  }
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) {
    remove(['minimum']);
  }
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) {
    remove(['maximum']);
  }
  if (io === 'output' && jsonSchema.additionalProperties === false) {
    remove(['additionalProperties']);
  }
}
