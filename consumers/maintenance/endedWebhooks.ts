import { UnavailableError } from '../../shared/core/errors.js';
import type { Mode } from '../../shared/domain/core/fact.js';
import type { DeletedReason } from '../../shared/domain/webhooks/webhook.js';
import type { WebhookDocument } from '../../shared/store/models/documents.js';
import type { MetaDocument } from '../../shared/store/models/generations.js';
import { changedDocuments, isContinued } from '../../shared/store/models/modelChanges.js';
import type { ReadModel } from '../../shared/store/models/readModels.js';

/** A webhook that was deleted, or disabled at least once, and whose earlier deliveries must be canceled. */
export interface EndedWebhook {
  readonly id: string;
  readonly accountId: string;
  readonly mode: Mode;
  readonly ended: 'deleted' | 'disabled';
  /** Why the service has deleted the webhook; missing if a client has deleted or disabled it. */
  readonly reason?: DeletedReason;
  /** The epoch below which open deliveries must be canceled: infinity if the webhook is deleted. */
  readonly openFromEpoch: number;
}

/**
 * Returns the webhooks with the given ids that have ended. A deleted webhook stays deleted and an epoch never falls, so
 * a later read finds at least the same webhooks.
 * @throws UnavailableError while the model is incomplete, because the answer may lack a webhook
 */
export async function readEndedWebhooks(
  model: Pick<ReadModel<WebhookDocument>, 'findInAllAccounts'>,
  ids: readonly string[],
): Promise<readonly EndedWebhook[]> {
  const { documents, meta } = await model.findInAllAccounts(ids, { without: ['recordIds'] });
  requireComplete(meta);
  return documents.flatMap(endedWebhookOf);
}

export interface EndedWebhookChanges {
  /**
   * Returns the ended webhooks that changed since the last call, and possibly some that changed shortly before. Returns
   * null if the changes are unknown: in the first call, and after a switch of generations. After null, the next call
   * returns the changes since this call.
   * @throws UnavailableError while the model cannot be read, or is incomplete; the next call misses no change
   */
  readonly next: () => Promise<readonly EndedWebhook[] | null>;
}

/**
 * The changes of ended webhooks. One call reads the meta document and the changed webhooks. The cost of a call does not
 * depend on the number of ended webhooks.
 */
export function createEndedWebhookChanges(
  model: Pick<ReadModel<WebhookDocument>, 'findAll' | 'meta'>,
): EndedWebhookChanges {
  let known: MetaDocument | null = null;
  return {
    next: async () => {
      // The meta document is read before the webhooks: a change that the read of the webhooks misses is after the
      // offsets of the meta document.
      const meta = await model.meta();
      requireComplete(meta);
      if (known === null || !isContinued('webhooks', known, meta)) {
        known = meta;
        return null;
      }
      const changed = changedDocuments('webhooks', known.positions, meta.positions);
      if (changed === null) {
        return [];
      }
      const answer = await model.findAll(changed, { without: ['recordIds'] });
      const isSameGeneration = isContinued('webhooks', meta, answer.meta);
      known = isSameGeneration ? meta : null;
      return isSameGeneration ? answer.documents.flatMap(endedWebhookOf) : null;
    },
  };
}

function requireComplete({ complete }: MetaDocument): void {
  if (!complete) {
    throw new UnavailableError('the read model "webhooks" is being built from the log');
  }
}

function endedWebhookOf(document: WebhookDocument): readonly EndedWebhook[] {
  const { _id: id, accountId, mode } = document;
  if (document.status === 'deleted') {
    const { reason } = document;
    const deleted = { id, accountId, mode, ended: 'deleted', openFromEpoch: Infinity } as const;
    return [reason === undefined ? deleted : { ...deleted, reason }];
  }
  return document.epoch > 0
    ? [{ id, accountId, mode, ended: 'disabled', openFromEpoch: document.epoch }]
    : [];
}
