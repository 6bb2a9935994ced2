import type { z } from 'zod';

import type { RecordContext, Actor } from '../../domain/core/fact.js';
import type { TopicName } from '../topics/names.js';
import { decodeHeaders, encodeHeaders, tenantContextOf } from './cloudEvent.js';
import type { Decoded, OutgoingRecord, RawRecord } from './record.js';
import { parseValue } from './schemas.js';

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
  /** The schema of each fact type's value, including fact types that are no longer written. */
  readonly schemas: ReadonlyMap<string, z.ZodType>;
  encode: (fact: Fact, context: RecordContext) => OutgoingRecord;
  decode: (record: RawRecord) => Decoded<Fact & { readonly context: RecordContext }>;
}

export interface FactCodecOptions<Fact> {
  /** Fact types that are no longer written, but remain in the log. */
  readonly earlier?: EarlierTypes<Fact>;
  /** Whether the records of the topic are encrypted. Only encrypted records contain the names of users and keys. */
  readonly isSealed?: boolean;
}

/**
 * Converts facts into the records of one topic and back. Decoding drops unknown fields, so that a process of an older
 * version can read records of a newer version.
 */
export function createFactCodec<Fact extends AnyFact>(
  topic: TopicName,
  schemas: ValueSchemas<Fact>,
  { earlier = {}, isSealed = false }: FactCodecOptions<Fact> = {},
): FactCodec<Fact> {
  const known = new Map<string, z.ZodType>(Object.entries(schemas));
  const readers = new Map([
    ...[...known].map(([type, schema]) => [type, readAs<Fact>(type, schema)] as const),
    ...Object.entries(earlier).map(([type, { read }]) => [type, read] as const),
  ]);
  return {
    topic,
    schemas: new Map([
      ...known,
      ...Object.entries(earlier).map(([type, { schema }]) => [type, schema] as const),
    ]),
    encode: (fact, context) => ({
      topic,
      key: context.key,
      value: Buffer.from(JSON.stringify(isSealed ? fact.value : withoutNames(fact.value))),
      headers: encodeHeaders({ type: fact.type, webhookId: null, ...context }),
    }),
    decode: (record) => {
      const headers = decodeHeaders(record);
      if (!headers.readable) {
        return headers;
      }
      const { type, id, key, accountId, mode, at } = headers.content;
      const read = readers.get(type);
      if (read === undefined) {
        return { readable: false, reason: `the topic has no record type ${type}` };
      }
      const fact = read(record.value);
      return fact.readable
        ? {
            readable: true,
            content: {
              context: { id, key, accountId, mode, at, ...tenantContextOf(record) },
              ...fact.content,
            },
          }
        : fact;
    },
  };
}

function readAs<Fact extends AnyFact>(
  type: string,
  schema: z.ZodType,
): (bytes: Buffer | null) => Decoded<Fact> {
  return (bytes) => {
    const value = parseValue(schema, bytes);
    return value.readable ? { readable: true, content: { type, value: value.content } as Fact } : value;
  };
}

/**
 * A fact type that is no longer written. Records of an earlier type remain in the log and are decoded as facts of
 * current types.
 */
export interface EarlierType<Fact> {
  /** The schema of the earlier type's values. The schema never changes again. */
  readonly schema: z.ZodType;
  read: (bytes: Buffer | null) => Decoded<Fact>;
}

export type EarlierTypes<Fact> = Readonly<Record<string, EarlierType<Fact>>>;

/**
 * Declares how the records of an earlier type are decoded. An incompatible change of a fact gets a new type, such as
 * `postrider.webhook.created.v2`. So the type of a record identifies its version, and records need no version field.
 * @param upcast converts a value into a fact of a current type. `upcast` is pure, because each rebuild must produce the
 *   same facts
 */
export function earlierType<Value, Fact>(
  schema: z.ZodType<Value>,
  upcast: (value: Value) => Fact,
): EarlierType<Fact> {
  return {
    schema,
    read: (bytes) => {
      const value = parseValue(schema, bytes);
      return value.readable ? { readable: true, content: upcast(value.content) } : value;
    },
  };
}

interface Attributed {
  readonly actor: Actor;
}

/**
 * The value of a fact without the actor's name, for a topic that is not encrypted. The value identifies a user or API
 * key only by id. Names are encrypted in the topic `accounts`, and become unreadable after the account is deleted (ADR
 * 12).
 */
export function withoutNames(value: unknown): unknown {
  return isAttributed(value) && isNamed(value.actor)
    ? { ...value, actor: { ...value.actor, name: null } }
    : value;
}

function isAttributed(value: unknown): value is Attributed {
  return typeof value === 'object' && value !== null && 'actor' in value;
}

/** Whether the actor's name is personal data. Actors other than users and API keys are parts of the program. */
function isNamed({ type }: Actor): boolean {
  return type === 'api_key' || type === 'user';
}
