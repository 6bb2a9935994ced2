import { setTimeout as pause } from 'node:timers/promises';

import { acknowledgementDelay } from '../commands/maximumStaleness.js';
import { UnavailableError } from '../core/errors.js';
import type { Actor } from '../domain/core/fact.js';
import { seededIdentity } from '../domain/core/requestIdentity.js';
import type { EndedLife } from '../domain/tenants/tenant.js';
import type { OutgoingRecord } from '../log/encoding/record.js';
import type { LogAppender } from '../log/producer/producer.js';
import { webhookRecords } from '../log/records/webhooks.js';
import type { WebhookDocument } from '../store/models/documents.js';
import { webhookIndexes } from '../store/models/indexes.js';
import { offsetsBehind, type ModelProgress } from '../store/models/modelProgress.js';
import type { ReadModel } from '../store/models/readModels.js';

export interface EndWebhooksDependencies {
  readonly log: LogAppender;
  readonly webhooks: Pick<ReadModel<WebhookDocument>, 'findPage'>;
  /** The progress of the model `webhooks`. */
  readonly progress: ModelProgress;
}

/**
 * Deletes the remaining webhooks of lives that have ended, and waits until no process attempts a delivery to them.
 * @throws UnavailableError if the read model cannot be read, or does not contain the deletions in time
 */
export type EndWebhooks = (tenant: EndedTenant, actor: Actor) => Promise<void>;

/** A tenant with lives that have ended. */
interface EndedTenant {
  readonly accountId: string;
  readonly ended: readonly EndedLife[];
}

const timeoutMs = 5000;
/** More than the webhooks of a life, so that one page has all of them. */
const pageSize = 1000;

/**
 * The records need no lease, because the deletion of a webhook is final after any other record. The `ce_id` of a record
 * follows from life and webhook, so all records of one deletion are duplicates.
 */
export function createEndWebhooks({ log, webhooks, progress }: EndWebhooksDependencies): EndWebhooks {
  const remainingOf = (share: string, { lifeId }: EndedLife) => {
    const filter = { tenancy: lifeId, status: { $in: ['active', 'disabled'] } };
    const ranges = [{ filter, sort: { _id: 1 } as const }];
    return webhooks.findPage({ ranges, limit: pageSize, index: webhookIndexes.byTenancy.key, share });
  };

  return async ({ accountId, ended }, actor) => {
    // An erased life has no webhooks left.
    const found = await Promise.all(
      ended
        .filter(({ isErased }) => !isErased)
        .map(async (life) =>
          (await remainingOf(accountId, life)).map((webhook) => deletionOf(webhook, life, actor)),
        ),
    );
    const records = found.flat();
    if (records.length === 0) {
      return;
    }
    const positions = await Promise.all(records.map((record) => log.append(record)));
    if (!(await progress.reached('webhooks', offsetsBehind(positions), timeoutMs))) {
      throw new UnavailableError('the read model does not contain the deletion of the webhooks yet');
    }
    await pause(acknowledgementDelay.attempting);
  };
}

function deletionOf(
  { _id: key, accountId, mode, tenantId, tenancy }: WebhookDocument,
  { lifeId, deletedAt: at }: EndedLife,
  actor: Actor,
): OutgoingRecord {
  const identity = seededIdentity({ created: at, isRepeat: false, seed: Buffer.from(`${lifeId}/${key}`) });
  const id = identity.recordId('postrider.webhook.deleted');
  return webhookRecords.encode(
    { type: 'postrider.webhook.deleted', value: { reason: 'tenant_deleted', actor } },
    { id, key, accountId, mode, at, tenantId, tenancy },
  );
}
