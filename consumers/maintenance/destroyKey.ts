import type { Clock } from '../../shared/core/clock.js';
import type { Identifiers } from '../../shared/domain/core/identifiers.js';
import type { LogAppender } from '../../shared/log/producer/producer.js';
import { encodeAccountKeyDestroyed } from '../../shared/log/records/accountKeys.js';
import { accountKeysSegmentMs } from '../../shared/log/topics/names.js';
import type { AccountKeyDocument } from '../../shared/store/models/documents.js';
import type { ReadModel } from '../../shared/store/models/readModels.js';

export interface DestroyKeyDependencies {
  readonly models: { readonly accountKeys: Pick<ReadModel<AccountKeyDocument>, 'findByIds'> };
  readonly log: LogAppender;
  readonly identifiers: Identifiers;
  readonly clock: Clock;
}

/** Kafka ends a segment with the first record that is later than the segment's first record by more than the maximum age. */
const betweenTombstonesMs = accountKeysSegmentMs + 5000;

/**
 * Destroys the data key of a deleted account by two tombstones. After the first one, no process opens data with the key. The second
 * one follows a minute later and ends the segment of the first, because Kafka compacts only ended segments.
 * @returns whether another call is necessary
 */
export function createDestroyKey({
  models,
  log,
  identifiers,
  clock,
}: DestroyKeyDependencies): (accountId: string) => Promise<boolean> {
  return async (accountId) => {
    const [document] = (await models.accountKeys.findByIds([accountId])).documents;
    const step = document === undefined ? 'done' : stepFor(document, clock());
    if (step === 'append') {
      const at = clock();
      await log.append(encodeAccountKeyDestroyed({ id: identifiers.createRecordId(at), accountId, at }));
    }
    return step !== 'done';
  };
}

function stepFor({ key, destroyed }: AccountKeyDocument, now: Date): 'append' | 'wait' | 'done' {
  if (key !== null) {
    return 'append';
  }
  if (destroyed === null) {
    return 'done';
  }
  if (destroyed.last.getTime() - destroyed.first.getTime() >= betweenTombstonesMs) {
    return 'done';
  }
  return now.getTime() - destroyed.first.getTime() >= betweenTombstonesMs ? 'append' : 'wait';
}
