import type { AccountKeys } from './accountKeys.js';
import type { Clock } from './clock.js';
import { createIdentifiers } from './domain/identifiers.js';
import { UnavailableError } from './errors.js';
import type { LogAppender, TogetherAppended } from './kafka/laneProducer.js';
import { createRandom } from './random.js';
import { sealRecord } from './sealedRecords.js';
import { encodeAccountKey } from './topics/accountKeys.js';
import type { OutgoingRecord, Tombstone } from './topics/record.js';

export interface SealingLogDependencies {
  readonly log: LogAppender;
  readonly keys: AccountKeys;
  readonly clock: Clock;
}

type AppendedRecord = OutgoingRecord | Tombstone;

/**
 * A log that seals what is appended to `accounts` with the data key of its account. A new account gets its key here, before its
 * first record: at no other time, so no two processes ever give it one. An account that has none is from before there were any:
 * its records stay as they are.
 */
export function createSealingLog({ log, keys, clock }: SealingLogDependencies): LogAppender {
  const identifiers = createIdentifiers(createRandom());

  const newKey = async (accountId: string): Promise<Buffer> => {
    const at = clock();
    const { key, sealed } = keys.create(accountId);
    await log.append(encodeAccountKey(sealed, { id: identifiers.createRecordId(at), accountId, at }));
    return key;
  };

  const keyFor = async (accountId: string, records: TogetherAppended): Promise<Buffer | undefined> => {
    if (records.some((record) => typeOf(record) === 'postrider.account.created')) {
      return newKey(accountId);
    }
    const key = (await keys.find([accountId])).get(accountId);
    if (key === 'destroyed') {
      throw new UnavailableError(`${accountId} was deleted`);
    }
    return key;
  };

  const appendTogether = async (records: TogetherAppended) => {
    const [first, ...others] = records;
    if (first.topic !== 'accounts' || !records.some(isToBeSealed)) {
      return log.appendTogether(records);
    }
    const accountId = first.key;
    const key = await keyFor(accountId, records);
    const seal = (record: AppendedRecord) =>
      key !== undefined && isToBeSealed(record) ? sealRecord(record, accountId, key) : record;
    return log.appendTogether([seal(first), ...others.map(seal)]);
  };

  return { append: (record) => appendTogether([record]), appendTogether };
}

/** What says that an account is gone is read when its key is gone too; it names nobody. */
function isToBeSealed(record: AppendedRecord): record is OutgoingRecord {
  return record.value !== null && typeOf(record) !== 'postrider.account.deleted';
}

function typeOf({ headers }: AppendedRecord): string | undefined {
  return headers['ce_type'];
}
