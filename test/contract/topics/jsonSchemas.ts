import { z } from 'zod';

import { topicContracts, type TopicContract } from '../../../shared/log/records/topicContracts.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** What a record's value is, as it is written: draft 7, which AsyncAPI and most validators understand. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const {
    $schema: _draft,
    '~standard': _standard,
    ...jsonSchema
  } = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    override: ({ jsonSchema: part }) => {
      // The pattern of a time says no more than its format, in three hundred characters.
      if (part.format === 'date-time') {
        delete part.pattern;
      }
    },
  });
  return jsonSchema;
}

/** What is published of a topic, or held against it. */
export interface TopicSchemas {
  readonly key: string;
  readonly headers: JsonSchema;
  readonly values: Readonly<Record<string, JsonSchema>>;
}

function schemasOf({ key, headers, values }: TopicContract): TopicSchemas {
  return {
    key,
    headers: jsonSchemaOf(headers),
    values: Object.fromEntries([...values].map(([type, schema]) => [type, jsonSchemaOf(schema)])),
  };
}

/** The schemas of all topics, those included that are not for subscribers. */
export function allSchemas(): Readonly<Record<string, TopicSchemas>> {
  return Object.fromEntries([...topicContracts].map(([name, contract]) => [name, schemasOf(contract)]));
}

/** The topics that are for subscribers. */
export function publicTopics(): readonly (readonly [string, TopicContract])[] {
  return [...topicContracts].filter(([, { isPublic }]) => isPublic);
}
