import type { Actor, Mode, RecordContext } from '../core/fact.js';
import type { DeliveryErrorCode } from '../deliveries/deliveryFacts.js';

/**
 * Which deliveries a replay selects. `failed` selects deliveries that ended without success. `missing` selects events
 * without a delivery to the webhook. `all` selects every event. `open` selects deliveries that have not ended.
 * `undelivered` selects what `failed`, `missing` and `open` select.
 */
export const replaySelections = ['failed', 'missing', 'all', 'open', 'undelivered'] as const;

export type ReplaySelection = (typeof replaySelections)[number];

/** The filter for the events that a replay delivers again. */
export interface ReplayFilter {
  /** The earliest creation time of the selected events. */
  readonly since: Date;
  /** The latest creation time of the selected events. */
  readonly until: Date;
  /** The types of the selected events; null for every type. */
  readonly types: readonly string[] | null;
  readonly only: ReplaySelection;
  /** The status codes of the selected deliveries' last attempts. Missing for any status code, and for no attempt. */
  readonly statusCodes?: readonly number[] | undefined;
  /** The error codes of the selected deliveries. Missing for any error code, and for no attempt. */
  readonly errorCodes?: readonly DeliveryErrorCode[] | undefined;
  /** The ids of the selected events, at any time. Missing for a replay of a time range. */
  readonly eventIds?: readonly string[] | undefined;
}

/**
 * The position of a replay among its events, oldest first. The replay has requested deliveries of all events up to its
 * cursor.
 */
export interface ReplayCursor {
  readonly created: Date;
  readonly eventId: string;
}

export interface ReplayRequested {
  readonly webhookId: string;
  readonly filter: ReplayFilter;
  /** The webhook's event types at the time of the request. */
  readonly subscription: readonly string[];
  /** The JSON text of the webhook's filter at the time of the request. Missing without a filter. */
  readonly webhookFilter?: string | undefined;
  /**
   * The webhook's epoch at the time of the request. A replay ends when its webhook is disabled, because the epoch
   * changes.
   */
  readonly epoch: number;
  /**
   * By partition of the topic `events`, the offset below which the replay selects events. Offsets replace a comparison
   * of clocks.
   */
  readonly eventsBelow: readonly number[];
  /**
   * By partition, the id of the last event record below `eventsBelow`, or null without one. The ids find the offsets in
   * another cluster. They are missing from records of earlier versions.
   */
  readonly eventsBelowIds?: readonly (string | null)[] | undefined;
  /**
   * By partition, the offset from which the tenant of the webhook has events. Events below it belong to an earlier life of
   * the tenant. Missing for a webhook without a tenant, and for a webhook of every tenant.
   */
  readonly tenantFrom?: readonly number[] | undefined;
  readonly actor: Actor;
}

export type ReplayCancelReason = 'requested' | 'webhook_disabled' | 'webhook_deleted';

export type ReplayFact =
  | { readonly type: 'postrider.replay.requested'; readonly value: ReplayRequested }
  | {
      readonly type: 'postrider.replay.progressed';
      /** The number of selected events, and the cursor of the replay. The cursor is null before the first event. */
      readonly value: { readonly matched: number; readonly cursor: ReplayCursor | null };
    }
  | {
      readonly type: 'postrider.replay.completed';
      /**
       * `matched` is the number of selected events. `omitted` is how many of them the replay has not requested, because
       * they no longer matched. In records of earlier versions `omitted` is missing, and `matched` does not contain them.
       */
      readonly value: { readonly matched: number; readonly omitted?: number | undefined };
    }
  | {
      readonly type: 'postrider.replay.canceled';
      readonly value: { readonly reason: ReplayCancelReason; readonly actor: Actor };
    };

export const replayStatuses = ['running', 'completed', 'canceled'] as const;

export interface Replay extends Omit<ReplayRequested, 'eventsBelowIds'> {
  readonly id: string;
  readonly accountId: string;
  readonly mode: Mode;
  /** The tenant of the webhook: a tenant id, `*` or null. */
  readonly tenantId: string | null;
  /** The tenancy of the webhook. */
  readonly tenancy: string | null;
  readonly status: (typeof replayStatuses)[number];
  /** The number of selected events; null until the replay has counted them. */
  readonly matched: number | null;
  /** The number of selected events that the replay has not requested; null until the replay is completed. */
  readonly omitted: number | null;
  /** The cursor of the replay; null until the first event's delivery is requested. */
  readonly cursor: ReplayCursor | null;
  readonly created: Date;
  readonly finishedAt: Date | null;
}

/**
 * A replay after another fact. A replay is completed when each of its deliveries has an attempt or an end. A fact that
 * was folded before, and a fact after the end of the replay, change nothing. A
 * process that has lost the replay's partition may still append outdated progress.
 * ```
 *           requested              completed
 *  (none) ─────────────► running ─────────────► completed
 *                         │   ▲
 *             progressed  └───┤ canceled
 *                             └───────────────► canceled
 * ```
 */
export function evolveReplay(
  state: Replay | null,
  fact: ReplayFact & { readonly context: RecordContext },
): Replay | null {
  if (fact.type === 'postrider.replay.requested') {
    return state ?? requestedReplay(fact.value, fact.context);
  }
  return state?.status === 'running' ? changedReplay(state, fact) : state;
}

type ChangingFact = Exclude<ReplayFact, { type: 'postrider.replay.requested' }> & {
  readonly context: RecordContext;
};

function changedReplay(replay: Replay, fact: ChangingFact): Replay {
  switch (fact.type) {
    case 'postrider.replay.progressed':
      return {
        ...replay,
        matched: replay.matched ?? fact.value.matched,
        cursor: laterOf(replay.cursor, fact.value.cursor),
      };
    case 'postrider.replay.completed': {
      const { matched, omitted = 0 } = fact.value;
      return { ...replay, status: 'completed', matched, omitted, finishedAt: fact.context.at };
    }
    case 'postrider.replay.canceled':
      return { ...replay, status: 'canceled', finishedAt: fact.context.at };
    default: {
      const never: never = fact;
      return never;
    }
  }
}

function requestedReplay(
  { eventsBelowIds: _ids, ...requested }: ReplayRequested,
  { key: id, accountId, mode, at, tenantId = null, tenancy = null }: RecordContext,
): Replay {
  return {
    ...requested,
    id,
    accountId,
    mode: mode ?? 'live',
    tenantId,
    tenancy,
    status: 'running',
    matched: null,
    omitted: null,
    cursor: null,
    created: at,
    finishedAt: null,
  };
}

function laterOf(one: ReplayCursor | null, other: ReplayCursor | null): ReplayCursor | null {
  if (one === null || other === null) {
    return one ?? other;
  }
  const apart = other.created.getTime() - one.created.getTime();
  return apart > 0 || (apart === 0 && other.eventId > one.eventId) ? other : one;
}
