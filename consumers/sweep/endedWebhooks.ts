import type { Mode } from '../../shared/domain/fact.js';
import type { WebhookDocument } from '../../shared/mongo/documents.js';
import type { ReadModel } from '../../shared/mongo/readModels.js';

/** A webhook that was deleted, or disabled at least once: what was planned for it before that is not to happen. */
export interface EndedWebhook {
  readonly id: string;
  readonly accountId: string;
  readonly mode: Mode;
  readonly ended: 'deleted' | 'disabled';
  /** Open deliveries of lower epochs are to be canceled; infinite where the webhook is deleted. */
  readonly openFromEpoch: number;
}

/**
 * All webhooks that were deleted or disabled. A model that is still being built may lack some, and has none too many:
 * a webhook stays deleted, and its epoch never falls.
 */
export async function readEndedWebhooks(
  model: Pick<ReadModel<WebhookDocument>, 'findAll'>,
): Promise<readonly EndedWebhook[]> {
  const { documents } = await model.findAll({ $or: [{ status: 'deleted' }, { epoch: { $gt: 0 } }] });
  return documents.map((document) => {
    const { _id: id, accountId, mode } = document;
    return document.status === 'deleted'
      ? { id, accountId, mode, ended: 'deleted', openFromEpoch: Infinity }
      : { id, accountId, mode, ended: 'disabled', openFromEpoch: document.epoch };
  });
}
