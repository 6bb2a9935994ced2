/** Where a topic ended, and how far a group was with it, at one moment. By partition. */
export interface CatchUpLook {
  /** In milliseconds of any clock that only goes forward. */
  readonly atMs: number;
  readonly ends: readonly number[];
  /** Null where the group has committed nothing. */
  readonly committed: readonly (number | null)[];
}

/** How a group comes to where a topic ended when that was first looked at, then to where it ends by then, and so on. */
export interface CatchUpState {
  /** Whether it comes to an end in little time. */
  readonly keepsUp: boolean;
  /** Where it is to come to, and when the topic ended there. */
  readonly goal: Pick<CatchUpLook, 'atMs' | 'ends'>;
}

/** Who takes no longer to come to the end keeps up. */
const shortMs = 5000;

/** @param before null for the first look */
export function afterLook(before: CatchUpState | null, { atMs, ends, committed }: CatchUpLook): CatchUpState {
  const goal = before?.goal ?? { atMs, ends };
  const isInTime = atMs - goal.atMs <= shortMs;
  const isThere = goal.ends.every((end, partition) => (committed[partition] ?? 0) >= end);
  return {
    keepsUp: isInTime && (isThere || before?.keepsUp === true),
    goal: isThere ? { atMs, ends } : goal,
  };
}
