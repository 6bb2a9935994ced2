import { evolveWebhook, type WebhookState } from '../../shared/domain/webhooks/webhook.js';
import { webhookRecords } from '../../shared/log/records/webhooks.js';
import type { WebhookDocument } from '../../shared/store/models/documents.js';
import { deduplicate } from './deduplicate.js';
import type { Projection } from './projection.js';

/** A document for each webhook. The document of a deleted webhook keeps only what later records need. */
export const webhooksProjection: Projection<WebhookDocument> = {
  name: 'webhooks',
  unreadFields: [],
  // The log keeps all records of the model `webhooks`, so every version is built from the log.
  conversions: {},
  read: (record) => {
    const decoded = webhookRecords.decode(record);
    if (!decoded.readable) {
      return decoded;
    }
    const fact = decoded.content;
    const { id: recordId, key: id } = fact.context;
    const apply = (document: WebhookDocument | null) =>
      deduplicate(document, recordId, (before) => {
        const state = evolveWebhook(stateOf(before), fact);
        return state === null ? null : documentOf(state, before);
      });
    return { readable: true, content: [{ id, apply }] };
  },
};

function stateOf(document: WebhookDocument | null): WebhookState {
  if (document === null) {
    return null;
  }
  const { _id: id, positions, recordIds, ...state } = document;
  return { id, ...state };
}

function documentOf(state: NonNullable<WebhookState>, before: WebhookDocument | null): WebhookDocument {
  const { id: _id, ...fields } = state;
  return { _id, ...fields, positions: before?.positions ?? {}, recordIds: before?.recordIds ?? [] };
}
