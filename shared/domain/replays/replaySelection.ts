import { deliveryStatuses, type Delivery, type DeliveryStatus } from '../deliveries/delivery.js';
import { commonPatterns, everyType, matchesAny } from '../events/eventPattern.js';
import { ownsEvent } from '../webhooks/matching.js';
import type { Replay, ReplayFilter, ReplaySelection } from './replay.js';

/** The fields of a replay, or of a replay's dry run, that select its events. */
export type ReplayScope = Pick<
  Replay,
  | 'accountId'
  | 'mode'
  | 'tenantId'
  | 'webhookId'
  | 'filter'
  | 'subscription'
  | 'webhookFilter'
  | 'eventsBelow'
  | 'tenantFrom'
>;

/** An event that matches a replay's time and event types, with its delivery to the replay's webhook. */
export interface ReplayCandidate {
  readonly id: string;
  readonly type: string;
  readonly created: Date;
  /** The webhook of a test delivery; null for other events. */
  readonly onlyWebhookId: string | null;
  readonly tenantId: string | null;
  /** The position of the event's record in the topic `events`. */
  readonly source: { readonly partition: number; readonly offset: number };
  /** The event's delivery to the replay's webhook; null if it does not exist. */
  readonly delivery: Pick<Delivery, 'status' | 'cycle' | 'replays' | 'last' | 'error'> | null;
}

/** What a replay selects of the events in its scope. */
export interface SelectedDeliveries {
  readonly statuses: readonly DeliveryStatus[];
  /** Whether the replay selects events that have no delivery although the webhook subscribes to their type. */
  readonly missing: boolean;
}

const failed = ['failed', 'canceled'] as const;
const open = ['pending', 'retrying'] as const;

const selections: Readonly<Record<ReplaySelection, SelectedDeliveries>> = {
  failed: { statuses: failed, missing: false },
  missing: { statuses: [], missing: true },
  all: { statuses: deliveryStatuses, missing: true },
  open: { statuses: open, missing: false },
  undelivered: { statuses: [...failed, ...open], missing: true },
};

/** The deliveries that a filter selects. Events without a delivery have no attempt that a code could match. */
export function selectedDeliveries(filter: ReplayFilter): SelectedDeliveries {
  const { statuses, missing } = selections[filter.only];
  return { statuses, missing: missing && !hasCodes(filter) };
}

/** Whether a filter selects only deliveries whose last attempt has certain codes. */
export function hasCodes({ statusCodes, errorCodes }: ReplayFilter): boolean {
  return statusCodes !== undefined || errorCodes !== undefined;
}

const sentBefore: readonly ReplaySelection[] = ['failed', 'open', 'undelivered'];

/**
 * The event types and patterns of a scope; null for any type. A delivery that was sent to the webhook, or that is to be
 * sent, counts even if the webhook no longer subscribes to its type. `undelivered` contains such deliveries too.
 */
export function typesInScope({ filter, subscription }: ReplayScope): readonly string[] | null {
  const { types, only } = filter;
  if (sentBefore.includes(only) || subscription.includes(everyType)) {
    return types;
  }
  return types === null ? subscription : commonPatterns(types, subscription);
}

/** Whether a replay selects an event that matches its time and types. A replay never selects a test delivery. */
export function isSelected(candidate: ReplayCandidate, scope: ReplayScope): boolean {
  const { filter, subscription } = scope;
  const { delivery, onlyWebhookId, type } = candidate;
  if (onlyWebhookId !== null || !ownsEvent(scope, candidate) || !isWithin(candidate.source, scope)) {
    return false;
  }
  const { statuses, missing } = selectedDeliveries(filter);
  return delivery === null
    ? missing && matchesAny(subscription, type)
    : statuses.includes(delivery.status) && hasSelectedCodes(delivery, filter);
}

/**
 * Whether the filter of the webhook decides on an event that `isSelected`. A delivery that was sent, or that is to be
 * sent, counts even if it no longer matches the filter. `all` selects the events that the webhook would get now.
 */
export function isFiltered({ delivery }: ReplayCandidate, { filter, webhookFilter }: ReplayScope): boolean {
  return webhookFilter !== undefined && (delivery === null || filter.only === 'all');
}

/** Whether an event is within the offsets of a scope: after the beginning of its tenant, and before the request. */
function isWithin(
  { partition, offset }: ReplayCandidate['source'],
  { eventsBelow, tenantFrom }: ReplayScope,
): boolean {
  return offset < (eventsBelow[partition] ?? 0) && offset >= (tenantFrom?.[partition] ?? 0);
}

function hasSelectedCodes({ last, error }: Pick<Delivery, 'last' | 'error'>, filter: ReplayFilter): boolean {
  if (!hasCodes(filter)) {
    return true;
  }
  return (
    last !== undefined &&
    isAnyOf(filter.statusCodes, [last.statusCode]) &&
    isAnyOf(filter.errorCodes, [last.errorCode, error?.code ?? null])
  );
}

/** Whether one of the codes is selected. Without a selection every code is. */
function isAnyOf<Code>(selected: readonly Code[] | undefined, codes: readonly (Code | null)[]): boolean {
  return selected === undefined || codes.some((code) => code !== null && selected.includes(code));
}

/**
 * Whether a replay has requested the event's delivery before. After a crash, the replay's recorded cursor can be behind
 * its requests.
 */
export function isHandedOver({ delivery }: ReplayCandidate, replayId: string): boolean {
  return delivery?.replays?.some((replayed) => replayed.replayId === replayId) ?? false;
}
