import { z } from 'zod';

import { MissingAccountKeyError, type AccountKeys } from './accountKeys.js';
import { createSecretBox } from '../security/secretBox.js';
import { accountIdOf, recordIdOf } from '../log/encoding/cloudEvent.js';
import type { OutgoingRecord, RawRecord } from '../log/encoding/record.js';
import { parseValue } from '../log/encoding/values.js';

/** CloudEvents extension `sealed`: that the value is sealed with the data key of the account that the record is of. */
const header = 'ce_sealed';
const sealedWith = 'account-key';

const valueSchema = z.object({ sealed: z.base64() });

/**
 * A record whose value only the data key of its account opens: `{"sealed": "<base64>"}`, of nonce, ciphertext and tag (AES-256-GCM). The
 * account and the record's `ce_id` are the associated data, so that no value passes for that of another record.
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
 * Records as they were before they were sealed. The records of deleted accounts are left out: their keys are destroyed, so that no
 * process can read them. What its own key does not open stays as it is, and is found unreadable.
 * @throws UnavailableError if it is not known now which keys there are
 * @throws MissingAccountKeyError if the key of an account is missing that was not deleted: without its records the account would be gone
 */
export async function openRecords(
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
