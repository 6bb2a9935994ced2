import type { Clock } from '../core/clock.js';
import { UnavailableError } from '../core/errors.js';
import { createRandom } from '../core/random.js';
import { createIdentifiers } from '../domain/core/identifiers.js';
import type { OutgoingRecord, Tombstone } from '../log/encoding/record.js';
import type { AppendOptions, LogAppender, TogetherAppended } from '../log/producer/producer.js';
import { encodeAccountKey } from '../log/records/accountKeys.js';
import { fenceType } from '../log/records/fence.js';
import { MissingAccountKeyError, type AccountKeys } from './accountKeys.js';
import { sealRecord } from './sealedRecords.js';

export interface SealingLogDependencies {
  readonly log: LogAppender;
  readonly keys: AccountKeys;
  readonly clock: Clock;
}

type AppendedRecord = OutgoingRecord | Tombstone;

/**
 * A log that seals the records of the topic `accounts` with the data key of their account. A new account gets its key
 * just before its first record, and at no other time, so two processes never create two keys. An account without a key
 * is older than data keys, and its records stay unsealed.
 */
export function createSealingLog({ log, keys, clock }: SealingLogDependencies): LogAppender {
  const identifiers = createIdentifiers(createRandom());

  const newKey = async (accountId: string, options?: AppendOptions): Promise<Buffer> => {
    const at = clock();
    const { key, sealed } = keys.create(accountId);
    const record = encodeAccountKey(sealed, { id: identifiers.createRecordId(at), accountId, at });
    await log.append(record, options);
    return key;
  };

  const keyFor = async (records: TogetherAppended, options?: AppendOptions): Promise<Buffer | undefined> => {
    const [{ key: accountId }] = records;
    if (records.some((record) => typeOf(record) === 'postrider.account.created')) {
      return newKey(accountId, options);
    }
    const key = (await keys.find([accountId])).get(accountId);
    if (key === 'destroyed') {
      throw new UnavailableError(`${accountId} was deleted`);
    }
    if (key === 'missing') {
      // The personal data in an unsealed record could never be erased.
      throw new UnavailableError(new MissingAccountKeyError([accountId]).message);
    }
    return key;
  };

  const appendTogether: LogAppender['appendTogether'] = async (records, options) => {
    const [first, ...others] = records;
    if (first.topic !== 'accounts' || !records.some(isToBeSealed)) {
      return log.appendTogether(records, options);
    }
    const accountId = first.key;
    const key = await keyFor(records, options);
    const seal = (record: AppendedRecord) =>
      key !== undefined && isToBeSealed(record) ? sealRecord(record, accountId, key) : record;
    return log.appendTogether([seal(first), ...others.map(seal)], options);
  };

  return { append: (record, options) => appendTogether([record], options), appendTogether };
}

/** The deletion of an account and its fences are readable without its data key. They contain no names. */
const readableWithoutKey: readonly unknown[] = ['postrider.account.deleted', fenceType];

function isToBeSealed(record: AppendedRecord): record is OutgoingRecord {
  return record.value !== null && !readableWithoutKey.includes(typeOf(record));
}

function typeOf({ headers }: AppendedRecord): string | undefined {
  return headers['ce_type'];
}
