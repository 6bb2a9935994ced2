import type { Actor, Mode, RecordContext } from '../core/fact.js';

/**
 * Which deliveries a replay selects. `failed` selects deliveries that ended without success. `missing` selects events
 * without a delivery to the webhook. `all` selects every event.
 */
export const replaySelections = ['failed', 'missing', 'all'] as const;

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
      /** The number of events whose delivery the replay has requested. */
      readonly value: { readonly matched: number };
    }
  | {
      readonly type: 'postrider.replay.canceled';
      readonly value: { readonly reason: ReplayCancelReason; readonly actor: Actor };
    };

export const replayStatuses = ['running', 'completed', 'canceled'] as const;

export interface Replay extends ReplayRequested {
  readonly id: string;
  readonly accountId: string;
  readonly mode: Mode;
  readonly status: (typeof replayStatuses)[number];
  /** The number of selected events; null until the replay has counted them. */
  readonly matched: number | null;
  /** The cursor of the replay; null until the first event's delivery is requested. */
  readonly cursor: ReplayCursor | null;
  readonly created: Date;
  readonly finishedAt: Date | null;
}

/**
 * A replay after another fact. A fact that was folded before, and a fact after the end of the replay, change nothing. A
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
    case 'postrider.replay.completed':
      return { ...replay, status: 'completed', matched: fact.value.matched, finishedAt: fact.context.at };
    case 'postrider.replay.canceled':
      return { ...replay, status: 'canceled', finishedAt: fact.context.at };
    default: {
      const never: never = fact;
      return never;
    }
  }
}

function requestedReplay(
  requested: ReplayRequested,
  { key: id, accountId, mode, at }: RecordContext,
): Replay {
  return {
    ...requested,
    id,
    accountId,
    mode: mode ?? 'live',
    status: 'running',
    matched: null,
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
