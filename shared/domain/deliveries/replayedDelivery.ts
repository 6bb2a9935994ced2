/** The outcome of a delivery that a replay requested. */
export type ReplayOutcome = 'pending' | 'retrying' | 'done' | 'failed';

/** A current or earlier replay of a delivery. */
export interface ReplayedDelivery {
  readonly replayId: string;
  /** The cycle whose outcome counts for the replay: its own, or a later one that replaced it before its end. */
  readonly cycle: number;
  readonly outcome: ReplayOutcome;
}

/**
 * The most replays in an event's document. An event may be replayed without limit, but its document must not grow
 * without limit.
 */
const remembered = 100;

/**
 * The replays of a delivery after another fact. Each replay is listed once, and is final once its cycle has ended. So
 * each delivery counts once, even after duplicates, crashes and later deliveries.
 * @param asking the replay of the fact
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
