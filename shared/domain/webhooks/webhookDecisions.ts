import type { Actor, Change } from '../core/fact.js';
import { optionChanges, type OptionUpdate } from './options.js';
import type { ChangeableSettings, Webhook, WebhookChanges, WebhookFact } from './webhook.js';

type Optional<Fields> = { readonly [Field in keyof Fields]?: Fields[Field] | undefined };

/** A requested change of a webhook. The webhook's other fields stay unchanged. */
export type WebhookUpdate = Optional<ChangeableSettings & Pick<Webhook, 'status'>> & OptionUpdate;

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

function changesOf(webhook: Webhook, update: WebhookUpdate): WebhookChanges {
  const { events, mutedUntil } = update;
  return {
    ...changeOf('url', webhook, update),
    ...(events !== undefined &&
      !isSameList(events, webhook.events) && { events: change(webhook.events, events) }),
    ...changeOf('description', webhook, update),
    ...changeOf('name', webhook, update),
    ...(mutedUntil !== undefined &&
      mutedUntil?.getTime() !== webhook.mutedUntil?.getTime() && {
        mutedUntil: change(webhook.mutedUntil, mutedUntil),
      }),
    ...optionChanges(webhook, update),
  };
}

/** The change of a text field; none if the update leaves it out, or contains its present value. */
function changeOf(
  field: 'url' | 'description' | 'name',
  webhook: Webhook,
  update: WebhookUpdate,
): WebhookChanges {
  const to = update[field];
  return to === undefined || to === webhook[field] ? {} : { [field]: change(webhook[field], to) };
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
