import type { Actor, Change } from '../core/fact.js';
import type { Webhook, WebhookChanges, WebhookFact, WebhookSettings } from './webhook.js';

type Optional<Fields> = { readonly [Field in keyof Fields]?: Fields[Field] | undefined };

/** A requested change of a webhook. The webhook's other fields stay unchanged. */
export type WebhookUpdate = Optional<WebhookSettings & Pick<Webhook, 'status'>>;

/** The facts that make the requested change. No facts if the webhook already has the requested state. */
export function decideWebhookUpdate(
  webhook: Webhook,
  update: WebhookUpdate,
  actor: Actor,
): readonly WebhookFact[] {
  const changes = changesOf(webhook, update);
  const updated: WebhookFact[] =
    Object.keys(changes).length === 0
      ? []
      : [{ type: 'postrider.webhook.updated', value: { changes, actor } }];
  return [...updated, ...statusChange(webhook, update, actor)];
}

function changesOf(webhook: Webhook, { url, events, description }: WebhookUpdate): WebhookChanges {
  return {
    ...(url !== undefined && url !== webhook.url && { url: change(webhook.url, url) }),
    ...(events !== undefined &&
      !isSameList(events, webhook.events) && { events: change(webhook.events, events) }),
    ...(description !== undefined &&
      description !== webhook.description && { description: change(webhook.description, description) }),
  };
}

function statusChange(webhook: Webhook, { status }: WebhookUpdate, actor: Actor): readonly WebhookFact[] {
  if (status === undefined || status === webhook.status) {
    return [];
  }
  return status === 'active'
    ? [{ type: 'postrider.webhook.enabled', value: { actor } }]
    : [{ type: 'postrider.webhook.disabled', value: { reason: 'manual', epoch: webhook.epoch, actor } }];
}

function change<Value>(from: Value, to: Value): Change<Value> {
  return { from, to };
}

function isSameList(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}
