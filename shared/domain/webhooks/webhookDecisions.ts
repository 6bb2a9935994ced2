import { changesOf, type Update } from '../core/changes.js';
import type { Actor } from '../core/fact.js';
import type { CredentialChange } from './credentials.js';
import { changeableSettings, type ChangeableSettings, type Webhook, type WebhookFact } from './webhook.js';

/** A requested change of a webhook. The webhook's other fields stay unchanged. */
export type WebhookUpdate = Update<ChangeableSettings & Pick<Webhook, 'status'>>;

/**
 * The facts that make the requested change. No facts if the webhook already has the requested state.
 * @param credentials the credentials whose texts change
 */
export function decideWebhookUpdate(
  webhook: Webhook,
  update: WebhookUpdate,
  actor: Actor,
  credentials: readonly CredentialChange[] = [],
): readonly WebhookFact[] {
  const changes = changesOf(changeableSettings(webhook), update);
  const value = { changes, ...(credentials.length > 0 && { credentials }), actor };
  const updated: WebhookFact[] =
    Object.keys(changes).length === 0 && credentials.length === 0
      ? []
      : [{ type: 'postrider.webhook.updated', value }];
  return [...updated, ...statusChange(webhook, update, actor)];
}

function statusChange(webhook: Webhook, { status }: WebhookUpdate, actor: Actor): readonly WebhookFact[] {
  if (status === undefined || status === webhook.status) {
    return [];
  }
  return status === 'active'
    ? [{ type: 'postrider.webhook.enabled', value: { actor } }]
    : [{ type: 'postrider.webhook.disabled', value: { reason: 'manual', epoch: webhook.epoch, actor } }];
}
