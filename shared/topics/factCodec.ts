import type { z } from 'zod';

import type { RecordContext } from '../domain/fact.js';
import { decodeHeaders, encodeHeaders } from './cloudEvent.js';
import type { TopicName } from './names.js';
import type { Decoded, OutgoingRecord, RawRecord } from './record.js';

interface AnyFact {
  readonly type: string;
  readonly value: unknown;
}

/** One schema for the value of each `ce_type`. */
export type ValueSchemas<Fact extends AnyFact> = {
  readonly [Type in Fact['type']]: z.ZodType<Extract<Fact, { type: Type }>['value']>;
};

export interface FactCodec<Fact extends AnyFact> {
  readonly topic: TopicName;
  encode: (fact: Fact, context: RecordContext) => OutgoingRecord;
  decode: (record: RawRecord) => Decoded<Fact & { readonly context: RecordContext }>;
}

/**
 * Turns facts into the records of one topic and back. Fields that a schema does not know are dropped,
 * so that a record of a newer version is readable by an older process.
 */
export function createFactCodec<Fact extends AnyFact>(
  topic: TopicName,
  schemas: ValueSchemas<Fact>,
): FactCodec<Fact> {
  const known = new Map<string, z.ZodType>(Object.entries(schemas));
  return {
    topic,
    encode: (fact, context) => ({
      topic,
      key: context.key,
      value: Buffer.from(JSON.stringify(fact.value)),
      headers: encodeHeaders({ ...context, type: fact.type, webhookId: null }),
    }),
    decode: (record) => {
      const headers = decodeHeaders(record);
      if (!headers.readable) {
        return headers;
      }
      const { type, id, key, accountId, mode, at } = headers.content;
      const schema = known.get(type);
      if (schema === undefined) {
        return { readable: false, reason: `the type ${type} is not known in this topic` };
      }
      const value = parseValue(schema, record.value);
      return value.readable
        ? {
            readable: true,
            content: { type, value: value.content, context: { id, key, accountId, mode, at } } as Fact & {
              context: RecordContext;
            },
          }
        : value;
    },
  };
}

function parseValue(schema: z.ZodType, bytes: Buffer | null): Decoded<unknown> {
  const json = parseJson(bytes);
  if (!json.readable) {
    return json;
  }
  const result = schema.safeParse(json.content);
  if (result.success) {
    return { readable: true, content: result.data };
  }
  const issue = result.error.issues[0];
  return {
    readable: false,
    reason: `${issue?.path.join('.') ?? 'value'}: ${issue?.message ?? 'does not fit'}`,
  };
}

function parseJson(bytes: Buffer | null): Decoded<unknown> {
  try {
    return { readable: true, content: JSON.parse(bytes?.toString('utf8') ?? '') as unknown };
  } catch {
    return { readable: false, reason: 'the value is not JSON' };
  }
}
