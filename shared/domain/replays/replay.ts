import type { Actor, Mode, RecordContext } from '../core/fact.js';

/**
 * `failed`: the delivery ended without success. `missing`: the delivery does not exist. `all`: both, and all other
 * deliveries.
 */
export const replaySelections = ['failed', 'missing', 'all'] as const;

export type ReplaySelection = (typeof replaySelections)[number];

/** The filter for the events of a webhook that are delivered again. */
export interface ReplayFilter {
  /** Created at this time or later. */
  readonly since: Date;
  /** Created at this time or earlier. */
  readonly until: Date;
  /** Null for every type. */
  readonly types: readonly string[] | null;
  readonly only: ReplaySelection;
}

/** The position of a replay among its events, oldest first. All events up to this one are handed over. */
export interface ReplayCursor {
  readonly created: Date;
  readonly eventId: string;
}

export interface ReplayRequested {
  readonly webhookId: string;
  readonly filter: ReplayFilter;
  /** The webhook's event types at the time of the request. */
  readonly subscription: readonly string[];
  /** The webhook's epoch at the time of the request. Once the webhook is disabled, the replay delivers nothing more. */
  readonly epoch: number;
  /** By partition of `events`, the offset below which events are selected. No clocks are compared. */
  readonly eventsBelow: readonly number[];
  readonly actor: Actor;
}

export type ReplayCancelReason = 'requested' | 'webhook_disabled' | 'webhook_deleted';

export type ReplayFact =
  | { readonly type: 'postrider.replay.requested'; readonly value: ReplayRequested }
  | {
      readonly type: 'postrider.replay.progressed';
      /** The number of matching events, and the position of the handover. The cursor is null before the first event. */
      readonly value: { readonly matched: number; readonly cursor: ReplayCursor | null };
    }
  | {
      readonly type: 'postrider.replay.completed';
      /** The number of events that were handed over. */
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
  /** Null until the events are counted. */
  readonly matched: number | null;
  /** Null until the first event is handed over. */
  readonly cursor: ReplayCursor | null;
  readonly created: Date;
  readonly finishedAt: Date | null;
}

/**
 * A replay after another fact. A fact that was folded before changes nothing. Neither does a fact after the end: a
 * process that has lost its partition may still append progress that another process has passed.
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
