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
  /** Whether it is behind by no more than it may be. */
  readonly keepsUp: boolean;
  /** Where it is to come to, and when the topic ended there. */
  readonly goal: Pick<CatchUpLook, 'atMs' | 'ends'>;
  /** Whether it has come to such a goal before. */
  readonly hasArrived: boolean;
}

/** Who takes no longer to come to the end keeps up, also after a start. */
const shortMs = 5000;
/** What a group has committed stays behind by as long as its slowest attempt takes: only who takes longer than any is behind. */
const longMs = 60_000;

/** @param before null for the first look */
export function afterLook(before: CatchUpState | null, { atMs, ends, committed }: CatchUpLook): CatchUpState {
  const { goal, keepsUp, hasArrived } = before ?? { goal: { atMs, ends }, keepsUp: false, hasArrived: false };
  const tookMs = atMs - goal.atMs;
  const isThere = goal.ends.every((end, partition) => (committed[partition] ?? 0) >= end);
  return {
    keepsUp: tookMs <= (hasArrived ? longMs : shortMs) && (isThere || keepsUp),
    goal: isThere ? { atMs, ends } : goal,
    hasArrived: hasArrived || isThere,
  };
}
