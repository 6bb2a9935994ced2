/** What has become of a delivery that a replay asked for. */
export type ReplayOutcome = 'pending' | 'retrying' | 'done' | 'failed';

/** A replay that a delivery is, or was, part of. */
export interface ReplayedDelivery {
  readonly replayId: string;
  /** The cycle whose outcome counts for it: its own, or the one that took its place before that had ended. */
  readonly cycle: number;
  readonly outcome: ReplayOutcome;
}

/** An event may be replayed for ever, and its document must not grow for ever. */
const remembered = 100;

/**
 * The replays of a delivery after one more fact about it. Each is there once, and where its cycle has ended it is final: so
 * counting deliveries counts each once, whatever is written twice, repeated after a crash, or delivered again later.
 * @param asking the replay that the fact is of
 */
export function withReplay(
  replays: readonly ReplayedDelivery[],
  asking: string | null,
  { cycle, outcome }: Pick<ReplayedDelivery, 'cycle' | 'outcome'>,
): readonly ReplayedDelivery[] {
  const isNew = asking !== null && !replays.some(({ replayId }) => replayId === asking);
  const known: readonly ReplayedDelivery[] = isNew
    ? [...replays, { replayId: asking, cycle, outcome }].slice(-remembered)
    : replays;
  return known.map((replayed) =>
    replayed.cycle === cycle || !hasEnded(replayed) ? { ...replayed, cycle, outcome } : replayed,
  );
}

function hasEnded({ outcome }: ReplayedDelivery): boolean {
  return outcome === 'done' || outcome === 'failed';
}
