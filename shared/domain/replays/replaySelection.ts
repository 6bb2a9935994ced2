import type { Delivery } from '../deliveries/delivery.js';
import type { Replay } from './replay.js';

/** What selects events: a replay, or one that is only tried. */
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
  /** Where the event's own record stands. */
  readonly source: { readonly partition: number; readonly offset: number };
  /** Null where there never was one. */
  readonly delivery: Pick<Delivery, 'status' | 'cycle' | 'replays'> | null;
}

const endedWithoutSuccess: readonly Delivery['status'][] = ['failed', 'canceled'];

/**
 * The types that a scope's events may have; null for any. What has failed was delivered to the webhook, whatever it asks for now.
 */
export function typesInScope({ filter, subscription }: ReplayScope): readonly string[] | null {
  const { types, only } = filter;
  if (only === 'failed' || subscription.includes('*')) {
    return types;
  }
  return types === null ? subscription : types.filter((type) => subscription.includes(type));
}

/** Whether an event of a scope's time and types is to be delivered again. Test deliveries never are. */
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

/** Whether the replay has handed this event over before: a process that died may not have had the time to say so. */
export function isHandedOver({ delivery }: ReplayCandidate, replayId: string): boolean {
  return delivery?.replays?.some((replayed) => replayed.replayId === replayId) ?? false;
}
