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
