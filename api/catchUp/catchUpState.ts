/** Where a topic ended, and how far a group was with it, at one moment. By partition. */
export interface CatchUpLook {
  /** In milliseconds of any clock that only goes forward. */
  readonly atMs: number;
  readonly ends: readonly number[];
  /** Null where the group has committed nothing. */
  readonly committed: readonly (number | null)[];
}

/** How a group comes to where a topic ended when that was first looked at, and to where it ends by then, until it keeps up. */
export interface CatchUpState {
  readonly isDone: boolean;
  /** Where it is to come to, and when the topic ended there. */
  readonly goal: Pick<CatchUpLook, 'atMs' | 'ends'>;
  /** How many records lie behind it, and since when. */
  readonly passed: number;
  readonly movedAtMs: number;
}

/** Who takes no longer to come to the end keeps up. */
const shortMs = 5000;
/** A group that stands still for so long is stopped, or cannot go on: nobody has to give way to it. */
const stillMs = 10_000;

/** @param before null for the first look */
export function afterLook(before: CatchUpState | null, look: CatchUpLook): CatchUpState {
  const { atMs, ends, committed } = look;
  const goal = before?.goal ?? look;
  const passed = committed.reduce<number>((sum, offset) => sum + (offset ?? 0), 0);
  const movedAtMs = before?.passed === passed ? before.movedAtMs : atMs;
  const isThere = goal.ends.every((end, partition) => (committed[partition] ?? 0) >= end);
  return {
    isDone: isThere && atMs - goal.atMs <= shortMs,
    goal: isThere ? { atMs, ends } : goal,
    passed,
    movedAtMs,
  };
}

/** Whether a group is behind and goes on. */
export function isUnderWay(
  { isDone, movedAtMs }: Pick<CatchUpState, 'isDone' | 'movedAtMs'>,
  nowMs: number,
): boolean {
  return !isDone && nowMs - movedAtMs <= stillMs;
}
