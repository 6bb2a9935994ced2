import type { Actor } from '../core/fact.js';
import type { DeliveryFact } from '../deliveries/deliveryFacts.js';
import type { Webhook } from '../webhooks/webhook.js';
import type { Replay, ReplayCancelReason, ReplayFact, ReplayRequested } from './replay.js';

type FactOf<Type extends ReplayFact['type']> = Extract<ReplayFact, { type: Type }>;

/**
 * The maximum number of running replays of an account in one mode. Each running replay uses resources of every delivery
 * process.
 */
export const maximumRunningReplays = 100;

export interface ReplayCommand extends Pick<ReplayRequested, 'filter' | 'eventsBelow' | 'actor'> {
  readonly webhook: Webhook;
}

/** Decides to start a replay with the current state of its webhook; null if the webhook is disabled. */
export function decideReplay({
  webhook,
  ...command
}: ReplayCommand): FactOf<'postrider.replay.requested'> | null {
  const { id: webhookId, events: subscription, epoch, status } = webhook;
  return status === 'disabled'
    ? null
    : { type: 'postrider.replay.requested', value: { webhookId, subscription, epoch, ...command } };
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
