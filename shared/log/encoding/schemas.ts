import { z } from 'zod';

import type { Changes } from '../../domain/core/changes.js';
import type { Actor, ClientTrace, Mode } from '../../domain/core/fact.js';
import type { SealedSecret } from '../../domain/webhooks/signingSecrets.js';
import type { Decoded } from './record.js';

/** The parts that record schemas have in common. */

export const modeSchema = z.enum(['live', 'test']) satisfies z.ZodType<Mode>;

/** A time in a record, which is ISO 8601 text in UTC. Decoding converts the text into a `Date`. */
export const timeSchema = z.iso.datetime().transform((text) => new Date(text));

export const actorSchema = z.object({
  type: z.enum(['api_key', 'user', 'operator', 'system']),
  id: z.string().nullable(),
  name: z
    .string()
    .nullable()
    .describe(
      'The name of an operator or of a part of the service. Null for users and keys, except in older records',
    ),
}) satisfies z.ZodType<Actor>;

/** The ids of the last records below offsets, by partition; null for a partition without such a record. */
export const boundaryIdsSchema = z.array(z.string().nullable());

export const clientTraceSchema = z.object({
  network: z.string(),
  userAgent: z.string().nullable(),
}) satisfies z.ZodType<ClientTrace>;

export const sealedSecretSchema = z.object({
  key: z.string(),
  sealed: z.base64(),
}) satisfies z.ZodType<SealedSecret>;

/** The value of a field in the audit log. */
const auditValueSchema = z.union([z.string(), z.number(), z.array(z.string())]).nullable();

export function changeSchema<Value extends z.ZodType>(value: Value) {
  return z.object({ from: value, to: value });
}

/**
 * The schema of the changed fields of a resource.
 * @param fields the schema of each field that can change
 */
export function changesSchema<Fields>(fields: {
  readonly [Field in keyof Fields]-?: z.ZodType<Fields[Field]>;
}): z.ZodType<Changes<Fields>> {
  const changes = Object.entries<z.ZodType>(fields).map(([name, value]) => [
    name,
    changeSchema(value).optional(),
  ]);
  return z.object(Object.fromEntries(changes)) as z.ZodType<Changes<Fields>>;
}

/** The changed fields of a resource in the audit log, by name. */
export const auditChangesSchema = z.record(z.string(), changeSchema(auditValueSchema));

/** Reads the value of a record. The reason for a rejection names the first invalid field. */
export function parseValue<Value>(schema: z.ZodType<Value>, bytes: Buffer | null): Decoded<Value> {
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
    return { readable: false, reason: 'the value of the record is not JSON' };
  }
}
