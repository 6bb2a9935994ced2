import type { Actor, Mode, RecordContext } from '../core/fact.js';

/** `failed`: the delivery ended without success. `missing`: there never was one. `all`: whatever became of it. */
export const replaySelections = ['failed', 'missing', 'all'] as const;

export type ReplaySelection = (typeof replaySelections)[number];

/** Which events of a webhook are to be delivered again. */
export interface ReplayFilter {
  /** Created at this time or later. */
  readonly since: Date;
  /** Created at this time or earlier. */
  readonly until: Date;
  /** Null for every type. */
  readonly types: readonly string[] | null;
  readonly only: ReplaySelection;
}

/** Where a replay is among its events, oldest first: all up to this one are handed over. */
export interface ReplayCursor {
  readonly created: Date;
  readonly eventId: string;
}

export interface ReplayRequested {
  readonly webhookId: string;
  readonly filter: ReplayFilter;
  /** The event types that the webhook asked for then. */
  readonly subscription: readonly string[];
  /** The webhook's epoch then: once it is disabled nothing of the replay is delivered any more. */
  readonly epoch: number;
  /** By partition of `events`, the offset below which events are taken. No clocks are compared. */
  readonly eventsBelow: readonly number[];
  readonly actor: Actor;
}

export type ReplayCancelReason = 'requested' | 'webhook_disabled' | 'webhook_deleted';

export type ReplayFact =
  | { readonly type: 'postrider.replay.requested'; readonly value: ReplayRequested }
  | {
      readonly type: 'postrider.replay.progressed';
      /** How many events match, and up to where they are handed over; the cursor is null before the first one is. */
      readonly value: { readonly matched: number; readonly cursor: ReplayCursor | null };
    }
  | {
      readonly type: 'postrider.replay.completed';
      /** How many were handed over. */
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
  /** Null until they are counted. */
  readonly matched: number | null;
  /** Null until the first event is handed over. */
  readonly cursor: ReplayCursor | null;
  readonly created: Date;
  readonly finishedAt: Date | null;
}

/**
 * A replay after one more fact about it. A fact that was folded before changes nothing, nor does one that comes after the end:
 * a process that has lost its partition may still write what another one has gone beyond.
 *
 * ```
 *            requested              completed
 *   (none) ─────────────► running ─────────────► completed
 *                          │   ▲
 *              progressed  └───┤ canceled
 *                              └───────────────► canceled
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
