import { identifierTime, isIdentifier } from '../../../shared/domain/core/identifiers.js';
import type { Webhook } from '../../../shared/domain/webhooks/webhook.js';
import type { WebhookDocument } from '../../../shared/store/models/documents.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import { apiError } from '../../http/apiError.js';
import { completeDocuments } from '../../http/completeDocuments.js';
import type { Caller } from '../../http/context.js';
import type { ListPosition } from '../../http/paging.js';

type Owner = Pick<Caller, 'accountId' | 'mode'>;

/** Reads that throw UnavailableError while the model is not complete. */
export interface WebhookLookup {
  /** A webhook of the caller's account and mode that was not deleted. */
  find: (owner: Owner, id: string) => Promise<Webhook | null>;
  /** Where a webhook stands in the caller's list, or stood before it was deleted. */
  positionOf: (owner: Owner, id: string) => Promise<ListPosition | null>;
  /** Whether a webhook was changed by this record, or by one of at most a hundred before its last. */
  knowsRecord: (owner: Owner, id: string, recordId: string) => Promise<boolean>;
  /** How many webhooks the caller's account has in the caller's mode. */
  count: (owner: Owner) => Promise<number>;
}

/** A command on a webhook is answered when its change can be read: so what is missing here does not exist. */
export function createWebhookLookup(
  webhooks: Pick<ReadModel<WebhookDocument>, 'findByIds' | 'findAll'>,
): WebhookLookup {
  const findDocument = async ({ accountId, mode }: Owner, id: string): Promise<WebhookDocument | null> => {
    const [document] = isIdentifier('wh', id)
      ? completeDocuments(await webhooks.findByIds([id], { owner: accountId }))
      : [];
    return document?.accountId === accountId && document.mode === mode ? document : null;
  };

  return {
    find: async (owner, id) => {
      const document = await findDocument(owner, id);
      return document === null ? null : storedWebhook(document);
    },
    positionOf: async (owner, id) => {
      const document = await findDocument(owner, id);
      return document === null
        ? null
        : { id, created: storedWebhook(document)?.created ?? identifierTime(id) };
    },
    knowsRecord: async (owner, id, recordId) =>
      (await findDocument(owner, id))?.recordIds.includes(recordId) ?? false,
    count: async ({ accountId, mode }) => {
      const filter = { accountId, mode, status: { $ne: 'deleted' } };
      const answer = await webhooks.findAll(filter, { owner: accountId });
      return completeDocuments(answer).length;
    },
  };
}

/** The webhook of a document; null for what is left of a deleted one. */
export function storedWebhook(document: WebhookDocument): Webhook | null {
  if (document.status === 'deleted') {
    return null;
  }
  const { _id: id, positions: _positions, recordIds: _recordIds, ...webhook } = document;
  return { id, ...webhook };
}

export const disabledWebhook = apiError('webhook_disabled', 'The webhook is disabled: enable it first.');
