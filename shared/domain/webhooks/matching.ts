import { matchesAny } from '../events/eventPattern.js';
import { everyTenant } from '../tenants/tenantId.js';
import type { Webhook } from './webhook.js';

/** Whether the webhook subscribes to events of this type. */
export function subscribesTo(webhook: Pick<Webhook, 'events'>, eventType: string): boolean {
  return matchesAny(webhook.events, eventType);
}

/**
 * Whether a webhook gets the events of a tenant:
 * - A webhook of a tenant gets the events of this tenant.
 * - A webhook without a tenant gets the events without a tenant.
 * - A webhook of every tenant gets all events.
 */
export function ownsEvent(
  webhook: Pick<Webhook, 'tenantId'>,
  event: { readonly tenantId: string | null },
): boolean {
  return webhook.tenantId === everyTenant || webhook.tenantId === event.tenantId;
}

/** The position of an event in the log. */
export interface EventPosition {
  readonly partition: number;
  readonly offset: number;
}

/**
 * Whether an event is delivered to a webhook. The webhook must get the events of the event's tenant, be active,
 * subscribe to the event's type and exist before the event. The webhook's offsets in `eventsFrom` are compared with the event's offset, because clocks differ.
 */
export function matchesEvent(
  webhook: Webhook,
  event: { readonly type: string; readonly onlyWebhookId: string | null; readonly tenantId: string | null },
  position: EventPosition,
): boolean {
  if (!ownsEvent(webhook, event)) {
    return false;
  }
  if (webhook.status !== 'active' || position.offset < (webhook.eventsFrom[position.partition] ?? 0)) {
    return false;
  }
  return event.onlyWebhookId === null
    ? subscribesTo(webhook, event.type)
    : event.onlyWebhookId === webhook.id;
}

/** Why a preview says that a webhook does not get an event. */
export const previewReasons = [
  'test_delivery',
  'tenant',
  'type',
  'filter',
  'webhook_disabled',
  'test_mode',
] as const;

export type PreviewReason = (typeof previewReasons)[number];

/**
 * Why a webhook would not get an event that is posted now, whatever its filter; null if it would. What the client can
 * change in the settings of the webhook comes first.
 */
export function previewMismatch(
  webhook: Pick<Webhook, 'id' | 'tenantId' | 'events' | 'status' | 'mode'>,
  event: { readonly type: string; readonly onlyWebhookId: string | null; readonly tenantId: string | null },
): Exclude<PreviewReason, 'filter'> | null {
  if (event.onlyWebhookId !== null && event.onlyWebhookId !== webhook.id) {
    return 'test_delivery';
  }
  if (!ownsEvent(webhook, event)) {
    return 'tenant';
  }
  if (event.onlyWebhookId === null && !subscribesTo(webhook, event.type)) {
    return 'type';
  }
  if (webhook.status !== 'active') {
    return 'webhook_disabled';
  }
  return webhook.mode === 'test' ? 'test_mode' : null;
}
