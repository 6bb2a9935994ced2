import { evolveWebhook, type WebhookState } from '../../shared/domain/webhooks/webhook.js';
import { webhookRecords } from '../../shared/log/records/webhooks.js';
import type { WebhookDocument } from '../../shared/store/models/documents.js';
import { deduplicate } from './deduplicate.js';
import { readWith, type Projection } from './projection.js';

/** A document for each webhook. The document of a deleted webhook keeps only what later records need. */
export const webhooksProjection: Projection<WebhookDocument> = {
  name: 'webhooks',
  read: readWith(webhookRecords.decode, (fact) => [
    {
      id: fact.context.key,
      apply: (document) =>
        deduplicate(document, fact.context.id, (before) => {
          const state = evolveWebhook(stateOf(before), fact);
          return state === null ? null : documentOf(state, before);
        }),
    },
  ]),
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
