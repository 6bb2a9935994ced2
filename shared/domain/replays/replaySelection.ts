import type { Delivery } from '../deliveries/delivery.js';
import { commonPatterns, everyType } from '../events/eventPattern.js';
import type { Replay } from './replay.js';

/** The fields of a replay, or of a replay's dry run, that select its events. */
export type ReplayScope = Pick<
  Replay,
  'accountId' | 'mode' | 'webhookId' | 'filter' | 'subscription' | 'eventsBelow'
>;

/** An event that matches a replay's time and event types, with its delivery to the replay's webhook. */
export interface ReplayCandidate {
  readonly id: string;
  readonly created: Date;
  /** The webhook of a test delivery; null for other events. */
  readonly onlyWebhookId: string | null;
  /** The position of the event's record in the topic `events`. */
  readonly source: { readonly partition: number; readonly offset: number };
  /** The event's delivery to the replay's webhook; null if it does not exist. */
  readonly delivery: Pick<Delivery, 'status' | 'cycle' | 'replays'> | null;
}

const endedWithoutSuccess: readonly Delivery['status'][] = ['failed', 'canceled'];

/**
 * The event types and patterns of a scope; null for any type. A failed delivery was sent to the webhook, so its type
 * counts even if the webhook no longer subscribes to it.
 */
export function typesInScope({ filter, subscription }: ReplayScope): readonly string[] | null {
  const { types, only } = filter;
  if (only === 'failed' || subscription.includes(everyType)) {
    return types;
  }
  return types === null ? subscription : commonPatterns(types, subscription);
}

/** Whether a replay selects an event that matches its time and types. A replay never selects a test delivery. */
export function isSelected(candidate: ReplayCandidate, { filter, eventsBelow }: ReplayScope): boolean {
  const { delivery, source, onlyWebhookId } = candidate;
  if (onlyWebhookId !== null || source.offset >= (eventsBelow[source.partition] ?? 0)) {
    return false;
  }
  switch (filter.only) {
    case 'failed':
      return delivery !== null && endedWithoutSuccess.includes(delivery.status);
    case 'missing':
      return delivery === null;
    case 'all':
      return true;
    default: {
      const never: never = filter.only;
      return never;
    }
  }
}

/**
 * Whether a replay has requested the event's delivery before. After a crash, the replay's recorded cursor can be behind
 * its requests.
 */
export function isHandedOver({ delivery }: ReplayCandidate, replayId: string): boolean {
  return delivery?.replays?.some((replayed) => replayed.replayId === replayId) ?? false;
}
