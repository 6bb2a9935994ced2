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
  /** The webhooks of the account that are not deleted. */
  readonly webhooks: readonly Webhook[];
}

type DeliveryRequested = Extract<DeliveryFact, { type: 'postrider.delivery.requested' }>;

export type ResendDecision =
  | { readonly facts: readonly DeliveryRequested[] }
  /**
   * `missing` means that the event has no delivery to the webhook, or that the webhook was deleted. `disabled` means
   * that no webhook of the resend is active.
   */
  | { readonly refused: 'missing' | 'disabled' };

/** Decides on a resend, which starts another cycle of each requested delivery in any state. */
export function decideResend({ webhookId, actor }: Resend, state: ResendState): ResendDecision {
  const asked = state.deliveries.flatMap((delivery) => {
    const webhook = state.webhooks.find(({ id }) => id === delivery.webhookId);
    const isAsked = webhookId === null || webhookId === delivery.webhookId;
    return isAsked && webhook !== undefined ? [{ delivery, webhook }] : [];
  });
  if (webhookId !== null && asked.length === 0) {
    return { refused: 'missing' };
  }
  const active = asked.filter(({ webhook }) => webhook.status === 'active');
  return active.length === 0
    ? { refused: 'disabled' }
    : { facts: active.map(({ delivery, webhook }) => requested(delivery, webhook, actor)) };
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
