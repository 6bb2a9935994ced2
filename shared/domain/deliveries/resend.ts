import type { Actor } from '../core/fact.js';
import type { Webhook } from '../webhooks/webhook.js';
import type { Delivery, DeliveryFact } from './delivery.js';

export interface Resend {
  /** Null for every delivery of the event whose webhook is active. */
  readonly webhookId: string | null;
  readonly actor: Actor;
}

/** The state for the decision on a resend. */
export interface ResendState {
  readonly deliveries: readonly Delivery[];
  /** The account's webhooks, without deleted ones. */
  readonly webhooks: readonly Webhook[];
}

type DeliveryRequested = Extract<DeliveryFact, { type: 'postrider.delivery.requested' }>;

export type ResendDecision =
  | { readonly facts: readonly DeliveryRequested[] }
  /**
   * `missing`: the event has no delivery to the webhook, or the webhook was deleted. `disabled`: no webhook is active.
   */
  | { readonly refused: 'missing' | 'disabled' };

/** Starts another cycle of each requested delivery, whatever its state. */
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
