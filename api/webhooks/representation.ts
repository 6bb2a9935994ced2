import type { Webhook } from '../../shared/domain/webhook.js';

export type ShownWebhook = Omit<Webhook, 'accountId' | 'secrets' | 'eventsFrom' | 'epoch' | 'enabledAt'>;

/** A webhook as an answer shows it: without its secrets. */
export function webhookRepresentation(webhook: ShownWebhook) {
  return {
    id: webhook.id,
    url: webhook.url,
    events: webhook.events,
    status: webhook.status,
    created: webhook.created.toISOString(),
    description: webhook.description,
    disabledReason: webhook.disabledReason,
    mode: webhook.mode,
  };
}
