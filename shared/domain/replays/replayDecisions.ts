import type { DeliveryFact } from '../deliveries/delivery.js';
import type { Actor } from '../core/fact.js';
import type { Replay, ReplayCancelReason, ReplayFact, ReplayRequested } from './replay.js';
import type { Webhook } from '../webhooks/webhook.js';

type FactOf<Type extends ReplayFact['type']> = Extract<ReplayFact, { type: Type }>;

/** An account has no more running replays in a mode: each takes a little of every delivery process. */
export const maximumRunningReplays = 100;

export interface ReplayCommand extends Pick<ReplayRequested, 'filter' | 'eventsBelow' | 'actor'> {
  readonly webhook: Webhook;
}

/** Begins a replay with what its webhook is at that moment; null where that is disabled. */
export function decideReplay({
  webhook,
  ...command
}: ReplayCommand): FactOf<'postrider.replay.requested'> | null {
  const { id: webhookId, events: subscription, epoch, status } = webhook;
  return status === 'disabled'
    ? null
    : { type: 'postrider.replay.requested', value: { webhookId, subscription, epoch, ...command } };
}

/** Ends a replay that is running; null where it has ended. */
export function decideReplayCancelation(
  { status }: Replay,
  reason: ReplayCancelReason,
  actor: Actor,
): FactOf<'postrider.replay.canceled'> | null {
  return status === 'running' ? { type: 'postrider.replay.canceled', value: { reason, actor } } : null;
}

/** Why a replay to this webhook must end; undefined stands for one that was deleted. */
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
 * Hands an event over: another cycle of its delivery. Two that decide on the same state ask for the same cycle, and the second
 * record of a cycle begins nothing.
 * @param latestCycle null where the event has no delivery to the webhook
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
