import { z } from 'zod';

import type { JsonSchema } from './openApiTypes.js';

/** Zod schemas as JSON Schema. A schema with an id becomes a component, to which other schemas refer. */
export interface SchemaCollection {
  /** The JSON Schema of a request. */
  readonly input: (schema: z.ZodType) => JsonSchema;
  /** The JSON Schema of a response. Objects of a response have only the named fields. */
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
    } = withComponentReferences(z.toJSONSchema(schema, { io, override: simplify }));
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

function withComponentReferences(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === '$ref' && typeof value === 'string' ? value.replace(definitions, '#/components/schemas/') : value,
  ) as JsonSchema;
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
    // The pattern that zod generates for a time contains the days of each month.
    jsonSchema.pattern = 'Z$';
  }
}
