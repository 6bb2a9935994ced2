/** The end offsets of a topic and the committed offsets of a group at one moment, by partition. */
export interface CatchUpSample {
  /** By a monotonic clock, in milliseconds. */
  readonly atMs: number;
  readonly ends: readonly number[];
  /** Null for a partition without a committed offset. */
  readonly committed: readonly (number | null)[];
}

/** The progress of a group from one goal to the next. A goal is the end of the topic at the time of a sample. */
export interface CatchUpState {
  /** Whether the group needed no longer than the limit for its goals. */
  readonly isKeepingUp: boolean;
  /** The end offsets to reach, and the time of their sample. */
  readonly goal: Pick<CatchUpSample, 'atMs' | 'ends'>;
  /** Whether the group has reached a goal before. */
  readonly hasReachedGoal: boolean;
}

/** The limit for the first goal after a start. */
const shortMs = 5000;
/** The limit for later goals. Committed offsets lag by the duration of the slowest attempt, so the limit exceeds any attempt. */
const longMs = 60_000;

/** @param before null for the first sample */
export function nextCatchUpState(
  before: CatchUpState | null,
  { atMs, ends, committed }: CatchUpSample,
): CatchUpState {
  const { goal, isKeepingUp, hasReachedGoal } = before ?? {
    goal: { atMs, ends },
    isKeepingUp: false,
    hasReachedGoal: false,
  };
  const tookMs = atMs - goal.atMs;
  const isAtGoal = goal.ends.every((end, partition) => (committed[partition] ?? 0) >= end);
  return {
    isKeepingUp: tookMs <= (hasReachedGoal ? longMs : shortMs) && (isAtGoal || isKeepingUp),
    goal: isAtGoal ? { atMs, ends } : goal,
    hasReachedGoal: hasReachedGoal || isAtGoal,
  };
}
