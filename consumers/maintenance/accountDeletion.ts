import type { DeletedAccountSweepDependencies } from '../../shared/accounts/deletedAccountSweep.js';
import type { Clock } from '../../shared/core/clock.js';
import type { Logger } from '../../shared/core/logger.js';
import type { Identifiers } from '../../shared/domain/core/identifiers.js';
import type { LogAppender } from '../../shared/log/producer/producer.js';
import { webhookRecords } from '../../shared/log/records/webhooks.js';
import type { AccountReservations } from '../../shared/store/coordination/accountReservations.js';
import type { WebhookDocument } from '../../shared/store/models/documents.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import { systemActor } from '../retry/disableWebhook.js';
import { createDestroyKey } from './destroyKey.js';

export interface AccountDeletionDependencies {
  readonly models: Pick<ReadModels, 'webhooks' | 'accountKeys'>;
  readonly reservations: Pick<AccountReservations, 'removeAll'>;
  readonly log: LogAppender;
  readonly identifiers: Identifiers;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info'>;
}

/**
 * Deletes the remaining data of a deleted account:
 * - its webhooks, by the same records as any deletion: subscribers see them, and the sweep cancels the open deliveries;
 * - its idempotency keys;
 * - its data key.
 */
export function createAccountDeletion(
  dependencies: AccountDeletionDependencies,
): DeletedAccountSweepDependencies['sweep'] {
  const { models, reservations, log, identifiers, clock, logger } = dependencies;

  const deleteWebhook = ({ _id: key, accountId, mode }: WebhookDocument) => {
    const at = clock();
    const context = { id: identifiers.createRecordId(at), key, accountId, mode, at };
    // It needs no lease, because a deletion is final after any other record.
    return log.append(
      webhookRecords.encode({ type: 'postrider.webhook.deleted', value: { actor: systemActor } }, context),
    );
  };

  const destroyKey = createDestroyKey(dependencies);

  return async (accountId) => {
    const { documents } = await models.webhooks.findAll({ accountId, status: { $ne: 'deleted' } });
    await Promise.all(documents.map(deleteWebhook));
    if (documents.length > 0) {
      logger.info({ accountId, webhooks: documents.length }, 'webhooks of a deleted account were deleted');
    }
    const removedKeys = await reservations.removeAll(accountId);
    const isDestroying = await destroyKey(accountId);
    return documents.length + removedKeys > 0 || isDestroying;
  };
}
