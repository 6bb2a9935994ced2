import type { Webhook } from '../../../shared/domain/webhooks/webhook.js';
import type { WebhookDocument } from '../../../shared/store/models/documents.js';

/** The webhook of a document; null for what is left of a deleted one. */
export function storedWebhook(document: WebhookDocument): Webhook | null {
  if (document.status === 'deleted') {
    return null;
  }
  const { _id: id, positions: _positions, recordIds: _recordIds, ...webhook } = document;
  return { id, ...webhook };
}
