import { slowExchangeMs, type LatencyClass } from './attemptClasses.js';

/** How long exchanges with one webhook take, as far as it is known. */
export interface LatencyEstimate {
  /** Of the exchanges that have ended; the newer ones count for more. */
  readonly meanMs: number;
  /** How many have ended. */
  readonly ended: number;
  readonly inFlight: number;
  /** How many exchanges were judged: quick if they ended in time, slow as soon as they did not. */
  readonly judged: number;
  /** The share of slow exchanges, from 0 to 1; the newer ones count for more. */
  readonly slowShare: number;
  readonly isLatestSlow: boolean;
}

/** What an exchange is taken for as long as none has ended. It counts as one of them afterwards. */
const assumedMs = 250;
/** The share of the newest exchange in the mean: twenty of them are what it remembers. */
const newestShare = 0.05;
/**
 * The share of the newest exchange in the share of slow ones. One that hangs among many that do not is far from half, and three quick ones
 * are enough for a webhook that has recovered.
 */
const newestJudgedShare = 0.25;
/** From this share on a webhook is slow. */
const slowFrom = 0.5;

/** Of a webhook that nothing is known of. */
export const unknownLatency: LatencyEstimate = {
  meanMs: assumedMs,
  ended: 0,
  inFlight: 0,
  judged: 0,
  slowShare: 0,
  isLatestSlow: false,
};

export function exchangeBegan(times: LatencyEstimate): LatencyEstimate {
  return { ...times, inFlight: times.inFlight + 1 };
}

/** An exchange that is still in flight has taken longer than a quick one. */
export function exchangeLingered(times: LatencyEstimate): LatencyEstimate {
  return judge(times, true);
}

/** @param wasJudged whether it has lingered, and so is judged already */
export function exchangeEnded(
  times: LatencyEstimate,
  durationMs: number,
  wasJudged: boolean,
): LatencyEstimate {
  const ended = times.ended + 1;
  const share = Math.max(newestShare, 1 / (ended + 1));
  const meanMs = times.meanMs + (durationMs - times.meanMs) * share;
  const after = { ...times, meanMs, ended, inFlight: times.inFlight - 1 };
  return wasJudged ? after : judge(after, durationMs > slowExchangeMs);
}

function judge(times: LatencyEstimate, isSlow: boolean): LatencyEstimate {
  const share = times.judged === 0 ? 1 : newestJudgedShare;
  const slowShare = times.slowShare + (Number(isSlow) - times.slowShare) * share;
  return { ...times, judged: times.judged + 1, slowShare, isLatestSlow: isSlow };
}

/**
 * The mean time of an exchange. It is never below the time for which nothing has begun or ended while exchanges are in flight: a
 * webhook that stops answering is known for slow long before the first of them runs into its time limit.
 *
 * The mean age of what is in flight would be the wrong bound. A slow exchange is in flight for longer, so it is met there more
 * often than it occurs: of a webhook where one exchange in ten hangs for 15 s, nearly all that is in flight hangs,
 * 7.5 s old in the mean, while its exchanges take 1.5 s in the mean, and that is what its queue moves by.
 *
 * @param quietMs for how many milliseconds no exchange has begun or ended
 */
export function meanExchangeMs(times: LatencyEstimate, quietMs: number): number {
  return times.inFlight > 0 ? Math.max(times.meanMs, quietMs) : times.meanMs;
}

/**
 * A webhook is slow if about half of its latest exchanges were. If only the latest one was, it may be about to hang, so it is
 * not trusted with a slot of the fast ones until a quick exchange follows.
 */
export function latencyClassOf({ judged, slowShare, isLatestSlow }: LatencyEstimate): LatencyClass {
  if (judged > 0 && slowShare >= slowFrom) {
    return 'slow';
  }
  return judged === 0 || isLatestSlow ? 'unknown' : 'fast';
}
