import type { Delivery } from '../deliveries/delivery.js';
import type { Replay } from './replay.js';

/** The selection of a replay, or of a dry run. */
export type ReplayScope = Pick<
  Replay,
  'accountId' | 'mode' | 'webhookId' | 'filter' | 'subscription' | 'eventsBelow'
>;

/** An event of a scope's time and types, and its delivery to the scope's webhook. */
export interface ReplayCandidate {
  readonly id: string;
  readonly created: Date;
  /** Set on a test delivery. */
  readonly onlyWebhookId: string | null;
  /** The position of the event's own record. */
  readonly source: { readonly partition: number; readonly offset: number };
  /** Null if the delivery does not exist. */
  readonly delivery: Pick<Delivery, 'status' | 'cycle' | 'replays'> | null;
}

const endedWithoutSuccess: readonly Delivery['status'][] = ['failed', 'canceled'];

/**
 * The event types of a scope; null for any type. A failed delivery was sent to the webhook, so its type counts even if
 * the webhook no longer subscribes to it.
 */
export function typesInScope({ filter, subscription }: ReplayScope): readonly string[] | null {
  const { types, only } = filter;
  if (only === 'failed' || subscription.includes('*')) {
    return types;
  }
  return types === null ? subscription : types.filter((type) => subscription.includes(type));
}

/** Whether an event of a scope's time and types is delivered again. Test deliveries never are. */
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

/** Whether the replay has handed this event over before. A crash can prevent the record of its progress. */
export function isHandedOver({ delivery }: ReplayCandidate, replayId: string): boolean {
  return delivery?.replays?.some((replayed) => replayed.replayId === replayId) ?? false;
}
