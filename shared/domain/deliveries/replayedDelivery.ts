/**
 * The outcome of a delivery that a replay requested. `canceled`: the replay was canceled before an attempt. The replay
 * counts such a delivery neither as done nor as failed, and later facts do not change that.
 */
export type ReplayOutcome = 'pending' | 'retrying' | 'done' | 'failed' | 'canceled';

/** A current or earlier replay of a delivery. */
export interface ReplayedDelivery {
  readonly replayId: string;
  /**
   * The cycle whose outcome counts for the replay. A later cycle counts if it began before the replay's own cycle
   * ended.
   */
  readonly cycle: number;
  readonly outcome: ReplayOutcome;
}

/**
 * The most replays in an event's document. An event may be replayed any number of times, but the size of its document
 * must be limited.
 */
const remembered = 100;

/**
 * The replays of a delivery after another fact. Each replay of a delivery is listed once, and its outcome is final when
 * its cycle has ended. So a replay counts each delivery once, even after duplicates, crashes and later cycles.
 * @param asking the id of the replay that the fact belongs to; null without a replay
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
    replayed.outcome !== 'canceled' && (replayed.cycle === cycle || !hasEnded(replayed))
      ? { ...replayed, cycle, outcome }
      : replayed,
  );
}

function hasEnded({ outcome }: ReplayedDelivery): boolean {
  return outcome === 'done' || outcome === 'failed';
}
