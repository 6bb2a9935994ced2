import type { z } from 'zod';
import type { RecordContext, Actor } from '../../domain/core/fact.js';
import { decodeHeaders, encodeHeaders } from './cloudEvent.js';
import type { TopicName } from '../topics/names.js';
import type { Decoded, OutgoingRecord, RawRecord } from './record.js';
import { parseValue } from './values.js';

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
  /** The schema of the value of each type that may be met in the topic, also of those that are no longer written. */
  readonly schemas: ReadonlyMap<string, z.ZodType>;
  encode: (fact: Fact, context: RecordContext) => OutgoingRecord;
  decode: (record: RawRecord) => Decoded<Fact & { readonly context: RecordContext }>;
}

export interface FactCodecOptions<Fact> {
  /** Types that are no longer written, and stay in the log for ever. */
  readonly earlier?: EarlierTypes<Fact>;
  /** Whether the topic's records are sealed: only there do they say what people and keys are called. */
  readonly isSealed?: boolean;
}

/**
 * Turns facts into the records of one topic and back. Fields that a schema does not know are dropped,
 * so that a record of a newer version is readable by an older process.
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
        return { readable: false, reason: `the type ${type} is not known in this topic` };
      }
      const fact = read(record.value);
      return fact.readable
        ? { readable: true, content: { context: { id, key, accountId, mode, at }, ...fact.content } }
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

/** A type that is no longer written. Its records stay in the log, and are read as the facts of today that they stand for. */
export interface EarlierType<Fact> {
  /** Of the values that were written under it: it never changes again. */
  readonly schema: z.ZodType;
  read: (bytes: Buffer | null) => Decoded<Fact>;
}

export type EarlierTypes<Fact> = Readonly<Record<string, EarlierType<Fact>>>;

/**
 * Declares how the records of an earlier type are read. A change that readers would not survive gets a new type
 * (`postrider.webhook.created.v2`), so a record's type says which version it is of, and no version stands beside it.
 * @param upcast pure: a rebuild in years must come to the same facts
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
 * The value of a fact as it may stand in a topic that is not sealed. People and keys are told there by their ids alone: what they
 * are called stands in `accounts`, sealed, and cannot be read any more once the account is deleted (ADR 12).
 */
export function withoutNames(value: unknown): unknown {
  return isAttributed(value) && isNamed(value.actor)
    ? { ...value, actor: { ...value.actor, name: null } }
    : value;
}

function isAttributed(value: unknown): value is Attributed {
  return typeof value === 'object' && value !== null && 'actor' in value;
}

/** The others are parts of the program, which name themselves. */
function isNamed({ type }: Actor): boolean {
  return type === 'api_key' || type === 'user';
}
