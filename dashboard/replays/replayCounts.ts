import type { Replay } from '../api/types.js';
import { counted } from '../components/timeText.js';

type Counts = Pick<Replay, 'status' | 'matched' | 'omitted' | 'done' | 'failed'>;

/** The number of events that a replay sends: exact when the replay is completed, and before that at most this number. */
export function sentCount({ matched, omitted }: Pick<Counts, 'matched' | 'omitted'>): number {
  return (matched ?? 0) - (omitted ?? 0);
}

/**
 * The number of events that ended before the replay reached them. A completed replay knows how many of the events that
 * it counted at its start have ended. Events that ended between the confirmation and its start are missing from that.
 * @param confirmed the number of events that the user has confirmed, or null if it is unknown
 */
export function endedCount(replay: Pick<Counts, 'matched' | 'omitted'>, confirmed: number | null): number {
  const { omitted } = replay;
  return omitted === null ? 0 : Math.max(omitted, (confirmed ?? 0) - sentCount(replay));
}

/** The number of sent events whose delivery has not ended, for example because it is being retried. */
export function openCount(replay: Omit<Counts, 'status'>): number {
  return Math.max(0, sentCount(replay) - replay.done - replay.failed);
}

/**
 * The interval in which the counts of a replay change, in milliseconds, or null if the counts are final. A completed
 * replay has attempted all deliveries, and some of these deliveries may still be retried for days.
 */
export function replayRefreshMs(replay: Counts): number | null {
  const { status } = replay;
  if (status === 'running') {
    return 2000;
  }
  return status === 'completed' && openCount(replay) > 0 ? 5000 : null;
}

/** A sentence about the events that share their attempts with another request, or nothing. */
export function joinedText({ joined }: Pick<Replay, 'joined'>): string {
  return joined === 0 ? '' : ` ${counted(joined, 'event')} shared the attempts of another resend or replay.`;
}
