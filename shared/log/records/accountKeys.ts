import { z } from 'zod';

import type { RecordContext } from '../../domain/core/fact.js';
import type { SealedSecret } from '../../domain/webhooks/signingSecrets.js';
import { decodeHeaders, encodeHeaders } from '../encoding/cloudEvent.js';
import type { OutgoingRecord, RawRecord, Tombstone } from '../encoding/record.js';
import { sealedSecretSchema, parseValue } from '../encoding/schemas.js';
import { accountKeysTopic as topic } from '../topics/names.js';

type AccountKeyContext = Pick<RecordContext, 'id' | 'accountId' | 'at'>;

/** The content of a record about an account's data key. */
export interface AccountKeyRecord {
  readonly accountId: string;
  readonly at: Date;
  /** The encrypted data key of the account; null if the data key was destroyed. */
  readonly key: SealedSecret | null;
}

const created = 'postrider.account-key.created';
const destroyed = 'postrider.account-key.destroyed';

const valueSchema = z.object({ key: sealedSecretSchema });

/** The value schema of each record type in the topic `account-keys`. */
export const accountKeySchemas: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  [created, valueSchema.describe("An account's data key, sealed with an encryption key.")],
  [destroyed, z.null().describe('The data key was destroyed. The record is a tombstone, without a value.')],
]);

/**
 * The record of an account's data key. The record key is the account's id. A later record with the same record key
 * replaces the earlier record, if the data key is sealed with another encryption key.
 */
export function encodeAccountKey(key: SealedSecret, context: AccountKeyContext): OutgoingRecord {
  const headers = headersOf(created, context);
  return { topic, key: context.accountId, value: Buffer.from(JSON.stringify({ key })), headers };
}

/**
 * The tombstone of a destroyed data key. Compaction removes all earlier records of the account's data key, and later
 * the tombstone.
 */
export function encodeAccountKeyDestroyed(context: AccountKeyContext): Tombstone {
  const headers = headersOf(destroyed, context);
  return { topic, key: context.accountId, value: null, headers };
}

/**
 * Reads the record of a data key; null if the record is unreadable. An unreadable record gets no dead letter, because
 * the copy would outlive the account.
 */
export function decodeAccountKey(record: RawRecord): AccountKeyRecord | null {
  const headers = decodeHeaders(record);
  if (!headers.readable) {
    return null;
  }
  const { accountId, at } = headers.content;
  if (record.value === null) {
    return { accountId, at, key: null };
  }
  const value = parseValue(valueSchema, record.value);
  return value.readable ? { accountId, at, key: value.content.key } : null;
}

function headersOf(type: string, { id, accountId, at }: AccountKeyContext): Record<string, string> {
  return encodeHeaders({ id, key: accountId, accountId, at, mode: null, type, webhookId: null });
}
