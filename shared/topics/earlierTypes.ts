import type { z } from 'zod';

import type { Decoded } from './record.js';
import { parseValue } from './values.js';

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
