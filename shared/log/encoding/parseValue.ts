import type { z } from 'zod';

import type { Decoded } from './record.js';

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
