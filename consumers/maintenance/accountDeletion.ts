import type { DeletedAccountSweepDependencies } from '../../shared/accounts/deletedAccounts.js';
import type { Clock } from '../../shared/core/clock.js';
import type { Logger } from '../../shared/core/logger.js';
import type { Identifiers } from '../../shared/domain/core/identifiers.js';
import { tenantFieldsOf } from '../../shared/domain/tenants/deliveryTenant.js';
import type { LogAppender } from '../../shared/log/producer/producer.js';
import { encodeAccountKeyDestroyed } from '../../shared/log/records/accountKeys.js';
import { webhookRecords } from '../../shared/log/records/webhooks.js';
import { accountKeysSegmentMs } from '../../shared/log/topics/names.js';
import type { AccountReservations } from '../../shared/store/coordination/accountReservations.js';
import type { WebhookDocument, AccountKeyDocument } from '../../shared/store/models/documents.js';
import { existing, webhookIndexes } from '../../shared/store/models/indexes.js';
import { offsetsBehind, type ModelProgress } from '../../shared/store/models/modelProgress.js';
import type { ReadModels, ReadModel } from '../../shared/store/models/readModels.js';
import { systemActor } from '../retry/disableWebhook.js';

export interface AccountDeletionDependencies {
  readonly models: {
    readonly webhooks: Pick<ReadModels['webhooks'], 'findPage'>;
    readonly accountKeys: Pick<ReadModels['accountKeys'], 'findByIds'>;
  };
  /** The progress of the model `webhooks`. */
  readonly progress: ModelProgress;
  readonly reservations: Pick<AccountReservations, 'removeAll'>;
  readonly log: LogAppender;
  readonly identifiers: Identifiers;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info'>;
}

/** The webhooks that are deleted at once. An account may have hundreds of thousands. */
const pageSize = 1000;
const modelTimeoutMs = 10_000;
const modes = ['live', 'test'] as const;
const status = { $in: ['active', 'disabled'] };

/**
 * Deletes the remaining data of a deleted account:
 * - its webhooks, by the same records as any deletion of a webhook: subscribers see the records, and the sweep cancels
 *   the open deliveries;
 * - its idempotency keys;
 * - its data key.
 */
export function createAccountDeletion(
  dependencies: AccountDeletionDependencies,
): DeletedAccountSweepDependencies['sweep'] {
  const { models, progress, reservations, log, identifiers, clock, logger } = dependencies;

  const deleteWebhook = (webhook: WebhookDocument) => {
    const { _id: key, accountId, mode } = webhook;
    const at = clock();
    const tenant = tenantFieldsOf(webhook);
    const context = { id: identifiers.createRecordId(at), key, accountId, mode, at, ...tenant };
    // The record needs no lease, because the deletion of a webhook is final after any other record.
    return log.append(
      webhookRecords.encode({ type: 'postrider.webhook.deleted', value: { actor: systemActor } }, context),
    );
  };

  /**
   * Deletes the webhooks page by page. The next page is read when the model contains the deletions of the last page, so
   * it begins with the remaining webhooks.
   */
  const deleteWebhooks = async (accountId: string, signal: AbortSignal): Promise<number> => {
    let deleted = 0;
    for (let isLast = false; !isLast && !signal.aborted;) {
      const page = await models.webhooks.findPage({
        ranges: modes.map((mode) => ({
          filter: { accountId, mode, status, ...existing },
          sort: { created: -1, _id: -1 },
        })),
        limit: pageSize,
        index: webhookIndexes.list.key,
        without: ['recordIds', 'secrets'],
      });
      const positions = await Promise.all(page.map(deleteWebhook));
      const isFolded = await progress.reached('webhooks', offsetsBehind(positions), modelTimeoutMs);
      deleted += page.length;
      isLast = page.length < pageSize || !isFolded;
    }
    return deleted;
  };

  const destroyKey = createDestroyKey(dependencies);

  return async (accountId, signal) => {
    const webhooks = await deleteWebhooks(accountId, signal);
    if (webhooks > 0) {
      logger.info({ accountId, webhooks }, 'webhooks of a deleted account were deleted');
    }
    const removedKeys = await reservations.removeAll(accountId);
    const isDestroying = await destroyKey(accountId);
    return webhooks + removedKeys > 0 || isDestroying;
  };
}

interface DestroyKeyDependencies {
  readonly models: { readonly accountKeys: Pick<ReadModel<AccountKeyDocument>, 'findByIds'> };
  readonly log: LogAppender;
  readonly identifiers: Identifiers;
  readonly clock: Clock;
}

/**
 * The time between the two tombstones of a data key. Kafka ends a segment with the first record that is later than the
 * segment's first record by more than the maximum age.
 */
const betweenTombstonesMs = accountKeysSegmentMs + 5000;

/**
 * Destroys the data key of a deleted account by two tombstones. After the first tombstone, no process opens data with
 * the key. The second tombstone follows a minute later and ends the segment of the first tombstone, because Kafka
 * compacts only ended segments.
 * @returns whether another call is necessary
 */
export function createDestroyKey({
  models,
  log,
  identifiers,
  clock,
}: DestroyKeyDependencies): (accountId: string) => Promise<boolean> {
  return async (accountId) => {
    const [document] = (await models.accountKeys.findByIds(accountId, [accountId])).documents;
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
