/** The end offsets of a topic and the committed offsets of a group at one moment, by partition. */
export interface CatchUpSample {
  /** The time of the sample by a monotonic clock, in milliseconds. */
  readonly atMs: number;
  readonly ends: readonly number[];
  /** The committed offset of each partition, or null if the partition has none. */
  readonly committed: readonly (number | null)[];
}

/**
 * The progress of a consumer group from one goal to the next. A goal is the end of the topic at the time of a sample.
 */
export interface CatchUpState {
  /** Whether the group has reached its goals within the time limit. */
  readonly isKeepingUp: boolean;
  /** The end offsets that the group must reach, and the time of their sample. */
  readonly goal: Pick<CatchUpSample, 'atMs' | 'ends'>;
  /** Whether the group has reached a goal before. */
  readonly hasReachedGoal: boolean;
}

/** The time limit for the first goal of a consumer group after a start. */
const shortMs = 5000;
/**
 * The time limit for later goals of a consumer group. Committed offsets lag by the duration of the slowest attempt, so
 * the limit exceeds any attempt.
 */
const longMs = 60_000;

/** @param before the previous state, or null for the first sample */
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
