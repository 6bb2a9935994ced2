import { z } from 'zod';

import { topicContracts, type TopicContract } from '../../../shared/log/records/topicContracts.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The JSON Schema of the value of a record, as it is written. It uses draft 7, which AsyncAPI and most validators support. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const {
    $schema: _draft,
    '~standard': _standard,
    ...jsonSchema
  } = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    override: ({ jsonSchema: part }) => {
      // The pattern of a time has three hundred characters, and adds nothing to its format.
      if (part.format === 'date-time') {
        delete part.pattern;
      }
    },
  });
  return jsonSchema;
}

/** The schemas of a topic, which are published and compared with later ones. */
export interface TopicSchemas {
  readonly key: string;
  readonly headers: JsonSchema;
  readonly values: Readonly<Record<string, JsonSchema>>;
}

function schemasOf({ key, keySuffix, headers, values }: TopicContract): TopicSchemas {
  return {
    key: `${key}${keySuffix?.source ?? ''}`,
    headers: jsonSchemaOf(headers),
    values: Object.fromEntries([...values].map(([type, schema]) => [type, jsonSchemaOf(schema)])),
  };
}

/** The schemas of all topics, including those that are not for subscribers. */
export function allSchemas(): Readonly<Record<string, TopicSchemas>> {
  return Object.fromEntries([...topicContracts].map(([name, contract]) => [name, schemasOf(contract)]));
}

/** The topics for subscribers. */
export function publicTopics(): readonly (readonly [string, TopicContract])[] {
  return [...topicContracts].filter(([, { isPublic }]) => isPublic);
}
