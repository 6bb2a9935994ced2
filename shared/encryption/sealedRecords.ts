import { z } from 'zod';

import { accountIdOf, recordIdOf } from '../log/encoding/cloudEvent.js';
import type { OutgoingRecord, RawRecord } from '../log/encoding/record.js';
import { parseValue } from '../log/encoding/schemas.js';
import { createSecretBox } from '../security/secretBox.js';
import { MissingAccountKeyError, type AccountKeys } from './accountKeys.js';

/**
 * The header of the CloudEvents extension `sealed`, which says that the data key of the record's account seals the
 * value.
 */
const header = 'ce_sealed';
const sealedWith = 'account-key';

const valueSchema = z.object({ sealed: z.base64() });

/**
 * Seals the value of a record, so that only the data key of its account opens the value. The sealed value is
 * `{"sealed": "<base64>"}` with nonce, ciphertext and tag of AES-256-GCM. The account and the record's `ce_id` are the
 * associated data, so that a sealed value cannot be moved to another record.
 */
export function sealRecord(record: OutgoingRecord, accountId: string, key: Buffer): OutgoingRecord {
  const { sealed } = boxOf(accountId, key).seal(record.value, ownerOf(accountId, record.headers['ce_id']));
  return {
    ...record,
    value: Buffer.from(JSON.stringify({ sealed })),
    headers: { ...record.headers, [header]: sealedWith },
  };
}

/**
 * Decrypts sealed records. Sealed records of deleted accounts are dropped, because their data keys are destroyed. A
 * record that the account's data key does not open stays sealed, and decoding rejects it.
 * @throws UnavailableError if the data keys cannot be read now
 * @throws MissingAccountKeyError if the data key of an existing account is missing; an account whose records were
 *   dropped would disappear
 */
export async function unsealRecords(
  records: readonly RawRecord[],
  keys: Pick<AccountKeys, 'find'>,
): Promise<readonly RawRecord[]> {
  const accountIds = [...new Set(records.filter(isSealed).map(accountIdOf))];
  if (accountIds.length === 0) {
    return records;
  }
  const found = await keys.find(accountIds);
  const missing = accountIds.filter((id) => (found.get(id) ?? 'missing') === 'missing');
  if (missing.length > 0) {
    throw new MissingAccountKeyError(missing);
  }
  return records.flatMap((record) => {
    if (!isSealed(record)) {
      return [record];
    }
    const key = found.get(accountIdOf(record));
    return Buffer.isBuffer(key) ? [opened(record, key)] : [];
  });
}

/** Whether the value of a record is sealed with the data key of its account. */
export function isSealed({ headers }: RawRecord): boolean {
  return headers[header]?.toString() === sealedWith;
}

function opened(record: RawRecord, key: Buffer): RawRecord {
  const accountId = accountIdOf(record);
  const sealed = parseValue(valueSchema, record.value);
  const value = sealed.readable
    ? boxOf(accountId, key).open(
        { key: accountId, sealed: sealed.content.sealed },
        ownerOf(accountId, recordIdOf(record)),
      )
    : null;
  return value === null ? record : { ...record, value };
}

function boxOf(accountId: string, bytes: Buffer) {
  return createSecretBox([{ id: accountId, bytes }]);
}

function ownerOf(accountId: string, recordId: string | undefined): string {
  return `${accountId}/${recordId ?? ''}`;
}
