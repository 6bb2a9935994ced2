import type { Actor } from '../core/fact.js';
import type { Delivery } from '../deliveries/delivery.js';
import type { DeliveryError, DeliveryFact } from '../deliveries/deliveryFacts.js';
import { everyTenant } from '../tenants/tenantId.js';
import { filterTextOf } from '../webhooks/options.js';
import type { Webhook } from '../webhooks/webhook.js';
import type { Replay, ReplayCancelReason, ReplayFact, ReplayRequested } from './replay.js';

type FactOf<Type extends ReplayFact['type']> = Extract<ReplayFact, { type: Type }>;

/**
 * The maximum number of running replays in one mode. Each tenant has its own maximum. So have the webhooks for every
 * tenant together, and those without a tenant together. Each running replay uses resources of every delivery process.
 */
export function maximumRunningReplays({ tenantId }: Pick<Webhook, 'tenantId'>): number {
  return tenantId === null || tenantId === everyTenant ? 100 : 10;
}

export interface ReplayCommand extends Pick<
  ReplayRequested,
  'filter' | 'eventsBelow' | 'eventsBelowIds' | 'tenantFrom' | 'actor'
> {
  readonly webhook: Webhook;
}

/** Decides to start a replay with the current state of its webhook; null if the webhook is disabled. */
export function decideReplay({
  webhook,
  ...command
}: ReplayCommand): FactOf<'postrider.replay.requested'> | null {
  const { id: webhookId, events: subscription, epoch, status } = webhook;
  const value = { webhookId, subscription, epoch, ...webhookFilterOf(webhook), ...command };
  return status === 'disabled' ? null : { type: 'postrider.replay.requested', value };
}

/** The filter of a webhook for the scope of a replay. Without a filter, the field is missing. */
export function webhookFilterOf(webhook: Pick<Webhook, 'options'>): Pick<ReplayRequested, 'webhookFilter'> {
  const webhookFilter = filterTextOf(webhook);
  return webhookFilter === null ? {} : { webhookFilter };
}

/** Decides to cancel a replay; null if the replay has ended. */
export function decideReplayCancelation(
  { status }: Replay,
  reason: ReplayCancelReason,
  actor: Actor,
): FactOf<'postrider.replay.canceled'> | null {
  return status === 'running' ? { type: 'postrider.replay.canceled', value: { reason, actor } } : null;
}

/**
 * The reason why a replay must end because of its webhook; null if the replay continues. `webhook` is undefined for a
 * deleted webhook.
 */
export function endedBy(
  webhook: Pick<Webhook, 'status' | 'epoch'> | undefined,
  { epoch }: Pick<Replay, 'epoch'>,
): Exclude<ReplayCancelReason, 'requested'> | null {
  if (webhook === undefined) {
    return 'webhook_deleted';
  }
  return webhook.status === 'disabled' || webhook.epoch > epoch ? 'webhook_disabled' : null;
}

type DeliveryRequested = Extract<DeliveryFact, { type: 'postrider.delivery.requested' }>;

/**
 * Requests another cycle of an event's delivery for a replay. Two requests from the same state name the same cycle, and
 * the second request of a cycle starts nothing.
 * @param latestCycle null if the event has no delivery to the webhook
 */
export function handOver(
  { id: replayId, webhookId, epoch, actor }: Pick<Replay, 'id' | 'webhookId' | 'epoch' | 'actor'>,
  latestCycle: number | null,
): DeliveryRequested {
  return {
    type: 'postrider.delivery.requested',
    value: {
      webhookId,
      cycle: (latestCycle ?? 0) + 1,
      epoch,
      replayId,
      trigger: 'replay',
      actor,
    },
  };
}

export const replayCanceled: DeliveryError = {
  code: 'replay_canceled',
  message: 'The replay was canceled before the event could be delivered',
};

/** Ends the cycle that a canceled replay has requested. The delivery gets the state before the request back. */
export function withdraw({
  webhookId,
  cycle,
  epoch,
  replayId,
}: Pick<Delivery, 'webhookId' | 'cycle' | 'epoch' | 'replayId'>): Extract<
  DeliveryFact,
  { type: 'postrider.delivery.canceled' }
> {
  return {
    type: 'postrider.delivery.canceled',
    value: { webhookId, cycle, epoch, replayId, error: replayCanceled },
  };
}
