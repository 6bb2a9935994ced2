import type { Clock } from '../core/clock.js';
import { UnavailableError } from '../core/errors.js';
import { createRandom } from '../core/random.js';
import { createIdentifiers } from '../domain/core/identifiers.js';
import { accountIdOf } from '../log/encoding/cloudEvent.js';
import type { OutgoingRecord, Tombstone } from '../log/encoding/record.js';
import type { AppendOptions } from '../log/producer/partitionBatcher.js';
import type { LogAppender, TogetherAppended } from '../log/producer/producer.js';
import { encodeAccountKey } from '../log/records/accountKeys.js';
import { fenceType, tenantFenceType } from '../log/records/fence.js';
import { eventTypesTopic, type TopicName } from '../log/topics/names.js';
import { MissingAccountKeyError, type AccountKeys } from './accountKeys.js';
import { sealRecord } from './sealedRecords.js';

export interface SealingLogDependencies {
  readonly log: LogAppender;
  readonly keys: AccountKeys;
  readonly clock: Clock;
}

/** The topics that are retained forever and may contain personal data or the data of customers. */
const sealedTopics: readonly TopicName[] = ['accounts', eventTypesTopic, 'tenants'];

type AppendedRecord = OutgoingRecord | Tombstone;

/**
 * An appender that seals records of the topics `accounts`, `event-types` and `tenants` with the data key of their account.
 * An account gets its data key just before its first record and at no other time. So two processes never create two data keys for an account.
 * The records of an account that was created without a data key stay unsealed.
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
    const accountId = accountIdOf(records[0]);
    if (records.some((record) => typeOf(record) === 'postrider.account.created')) {
      return newKey(accountId, options);
    }
    const key = (await keys.find([accountId])).get(accountId);
    if (key === 'destroyed') {
      throw new UnavailableError(`${accountId} was deleted`);
    }
    if (key === 'missing') {
      // An account with a missing data key cannot be changed, because the personal data in an unsealed record could
      // never be erased.
      throw new UnavailableError(new MissingAccountKeyError([accountId]).message);
    }
    return key;
  };

  const appendTogether: LogAppender['appendTogether'] = async (records, options) => {
    const [first, ...others] = records;
    if (!sealedTopics.includes(first.topic) || !records.some(isToBeSealed)) {
      return log.appendTogether(records, options);
    }
    const accountId = accountIdOf(first);
    const key = await keyFor(records, options);
    const seal = (record: AppendedRecord) =>
      key !== undefined && isToBeSealed(record) ? sealRecord(record, accountId, key) : record;
    return log.appendTogether([seal(first), ...others.map(seal)], options);
  };

  return { append: (record, options) => appendTogether([record], options), appendTogether };
}

/**
 * The types of records that are not sealed. The deletion of an account, its fences and the erasure of a tenant contain no
 * names, and must be readable without the data key.
 */
const readableWithoutKey: readonly unknown[] = [
  'postrider.account.deleted',
  'postrider.tenant.erased',
  fenceType,
  tenantFenceType,
];

function isToBeSealed(record: AppendedRecord): record is OutgoingRecord {
  return record.value !== null && !readableWithoutKey.includes(typeOf(record));
}

function typeOf({ headers }: AppendedRecord): string | undefined {
  return headers['ce_type'];
}
