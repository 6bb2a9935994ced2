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
  /**
   * Whether the attempts of another request count for the replay: a later request came before the first attempt of the
   * replay, or the replay requested a cycle that another request had begun. False once an attempt of the replay itself is
   * recorded. Missing while its own attempt is expected.
   */
  readonly joined?: boolean;
}

/** A delivery after the fact that changes its replays. */
interface DeliveryOfReplays {
  readonly cycle: number;
  readonly outcome: ReplayOutcome;
  /** The replay that requested the delivery's latest cycle, or null. */
  readonly requestedBy: string | null;
  /** The replay whose attempt the fact is; null for any other fact. */
  readonly attemptOf: string | null;
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
  delivery: DeliveryOfReplays,
): readonly ReplayedDelivery[] {
  const { cycle } = delivery;
  const isNew = asking !== null && !replays.some(({ replayId }) => replayId === asking);
  const known: readonly ReplayedDelivery[] = isNew
    ? [...replays, { replayId: asking, cycle, outcome: 'pending' as const }].slice(-remembered)
    : replays;
  return known.map((replayed) =>
    replayed.outcome !== 'canceled' && (replayed.cycle === cycle || !hasEnded(replayed))
      ? followed(replayed, delivery)
      : replayed,
  );
}

/** A replay whose outcome is that of the delivery. */
function followed(
  replayed: ReplayedDelivery,
  { cycle, outcome, requestedBy, attemptOf }: DeliveryOfReplays,
): ReplayedDelivery {
  const { replayId, joined: wasJoined } = replayed;
  if (attemptOf === replayId || wasJoined === false) {
    return { replayId, cycle, outcome, joined: false };
  }
  if (hasEnded(replayed)) {
    return { ...replayed, cycle, outcome };
  }
  return { replayId, cycle, outcome, ...(requestedBy !== replayId && { joined: true }) };
}

function hasEnded({ outcome }: ReplayedDelivery): boolean {
  return outcome === 'done' || outcome === 'failed';
}
