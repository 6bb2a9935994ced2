import type { Replay } from '../api/types.js';
import { queryOf, type EventFilters } from './eventFilters.js';

/** The events that the user wants to resend: selected events, or all events that match the filters of the list. */
export type ResentEvents =
  | { readonly kind: 'chosen'; readonly ids: readonly string[] }
  | { readonly kind: 'matching'; readonly filters: EventFilters };

export type Only = Replay['filter']['only'];

/** A choice of deliveries, with its label and the effect. */
export type OnlyOption = readonly [only: Only, text: string, effect: string];

const undelivered: OnlyOption = [
  'undelivered',
  'Undelivered events',
  'The webhook gets only events that it has not received.',
];
const everything: OnlyOption = [
  'all',
  'All events, also delivered ones',
  'The webhook gets delivered events again, with the same webhook-id.',
];
const failed: OnlyOption = ['failed', 'Failed and canceled deliveries', 'The retries start again.'];
const open: OnlyOption = [
  'open',
  'Pending and retrying deliveries',
  'The next attempt is made now, and the retries start again.',
];

/** The choices of deliveries. A filter by status leaves the deliveries of this status. */
export function onlyOptions(events: ResentEvents): readonly OnlyOption[] {
  switch (events.kind === 'matching' ? events.filters.status : null) {
    case 'failed':
    case 'canceled':
      return [failed];
    case 'pending':
    case 'retrying':
      return [open];
    case 'delivered':
      return [everything];
    case null:
      return [undelivered, everything];
  }
}

/** The reason why all matching events cannot be resent, or null if they can. */
export function matchingFault({ search, status, tenantId, validation }: EventFilters): string | null {
  if (search !== null) {
    return 'A text search cannot be resent as a whole. Select the events with the check boxes.';
  }
  if (tenantId !== null || validation !== null) {
    return 'Events of a tenant, or with a result of the check, cannot be resent as a whole. Select the events with the check boxes.';
  }
  return status === 'delivered'
    ? 'Delivered events cannot be resent as a whole. Select the events with the check boxes.'
    : null;
}

/** The time before all events, for a list without a beginning. */
const beginning = new Date(0).toISOString();

/**
 * The request of a replay. Its end is the time at which the user has opened the dialog, so that the counted events are
 * sent.
 */
export function replayRequest(events: ResentEvents, webhookId: string, only: Only, now: Date) {
  if (events.kind === 'chosen') {
    return { webhookId, only, eventIds: [...events.ids] };
  }
  const { type, createdGte, createdLt } = queryOf(events.filters, now);
  return {
    webhookId,
    only,
    since: createdGte ?? beginning,
    until: createdLt === undefined ? now.toISOString() : lastBefore(createdLt),
    ...(type === undefined ? {} : { types: type }),
  };
}

/** The last millisecond before a time, because the end of a replay is inclusive. */
function lastBefore(time: string): string {
  return new Date(Date.parse(time) - 1).toISOString();
}
