import type { Actor } from '../core/fact.js';
import type { Webhook } from '../webhooks/webhook.js';
import type { Delivery } from './delivery.js';
import type { DeliveryFact } from './deliveryFacts.js';

export interface Resend {
  /** The webhook of the resend; null to resend the event to each of its active webhooks. */
  readonly webhookId: string | null;
  readonly actor: Actor;
}

/** The deliveries and webhooks on which the decision about a resend depends. */
export interface ResendState {
  readonly deliveries: readonly Delivery[];
  /** Whether `deliveries` contains every webhook that matches the event. */
  readonly deliveriesComplete: boolean;
  /** The webhooks of the account that are not deleted. */
  readonly webhooks: readonly Webhook[];
}

type DeliveryRequested = Extract<DeliveryFact, { type: 'postrider.delivery.requested' }>;

/**
 * Why a resend is rejected:
 * - `unknown`: the event may have a delivery to repeat, but its deliveries are not known yet.
 * - `none`: the event has no delivery at all.
 * - `missing`: the event has no delivery to the webhook.
 * - `deleted`: the webhook of the delivery was deleted.
 * - `inactive`: each webhook of the deliveries is disabled or deleted.
 */
export type ResendRefusal = 'unknown' | 'none' | 'missing' | 'deleted' | 'inactive';

export type ResendDecision =
  { readonly facts: readonly DeliveryRequested[] } | { readonly refused: ResendRefusal };

/** Decides on a resend, which starts another cycle of each requested delivery in any state. */
export function decideResend({ webhookId, actor }: Resend, state: ResendState): ResendDecision {
  if (!areRequestedKnown(webhookId, state)) {
    return { refused: 'unknown' };
  }
  const asked = requestedOf(webhookId, state);
  if (asked.length === 0) {
    return { refused: webhookId === null ? 'none' : 'missing' };
  }
  const existing = asked.flatMap((delivery) => {
    const webhook = state.webhooks.find(({ id }) => id === delivery.webhookId);
    return webhook === undefined ? [] : [{ delivery, webhook }];
  });
  if (webhookId !== null && existing.length === 0) {
    return { refused: 'deleted' };
  }
  const active = existing.filter(({ webhook }) => webhook.status === 'active');
  return active.length === 0
    ? { refused: 'inactive' }
    : { facts: active.map(({ delivery, webhook }) => requested(delivery, webhook, actor)) };
}

/**
 * Whether all deliveries are known that a resend requests. A delivery to a slow webhook is known half a second after the
 * event was taken up, and later if delivery is behind.
 */
export function areRequestedKnown(
  webhookId: string | null,
  state: Pick<ResendState, 'deliveries' | 'deliveriesComplete'>,
): boolean {
  return state.deliveriesComplete || (webhookId !== null && requestedOf(webhookId, state).length > 0);
}

function requestedOf(
  webhookId: string | null,
  { deliveries }: Pick<ResendState, 'deliveries'>,
): readonly Delivery[] {
  return webhookId === null ? deliveries : deliveries.filter((delivery) => delivery.webhookId === webhookId);
}

function requested(delivery: Delivery, { id: webhookId, epoch }: Webhook, actor: Actor): DeliveryRequested {
  const value = {
    webhookId,
    cycle: delivery.cycle + 1,
    epoch,
    replayId: null,
    trigger: 'resend',
    actor,
  } as const;
  return { type: 'postrider.delivery.requested', value };
}
