import { slowExchangeMs, type LatencyClass } from './attemptClasses.js';

/** The estimated latency of one webhook. */
export interface LatencyEstimate {
  /** The moving average (EWMA) of the exchanges that have ended, in milliseconds. */
  readonly meanMs: number;
  /** The number of exchanges that have ended. */
  readonly ended: number;
  readonly inFlight: number;
  /** The number of exchanges that are known to be quick or slow. An exchange is slow from `slowExchangeMs` on. */
  readonly judged: number;
  /** The moving average (EWMA) of the share of slow exchanges, from 0 to 1. */
  readonly slowShare: number;
  readonly isLatestSlow: boolean;
  /** The number of exchanges in a row that have ended without an answer. */
  readonly unanswered: number;
}

/** The assumed time of an exchange, which counts as one exchange in the mean. */
const assumedMs = 250;
/** The weight of the newest exchange in the mean. The mean thus covers about twenty exchanges. */
const newestShare = 0.05;
/**
 * The weight of the newest exchange in the share of slow exchanges. After a single slow exchange the share is far below
 * half. After three quick exchanges a slow webhook has recovered.
 */
const newestJudgedShare = 0.25;
/** A webhook with at least this share of slow exchanges is slow. */
const slowFrom = 0.5;

/** A webhook that has begun to hang is quiet for longer than this time, and than this number of mean exchanges. */
const hangingFromMs = 2_000;
const hangingFromMeans = 4;
/** A webhook hangs after so many exchanges in a row without an answer. A single one may be lost by chance. */
const hangingFromUnanswered = 3;

/** The estimate of a webhook without any exchange. */
export const unknownLatency: LatencyEstimate = {
  meanMs: assumedMs,
  ended: 0,
  inFlight: 0,
  judged: 0,
  slowShare: 0,
  isLatestSlow: false,
  unanswered: 0,
};

export function exchangeBegan(times: LatencyEstimate): LatencyEstimate {
  return { ...times, inFlight: times.inFlight + 1 };
}

/** Judges an exchange in flight as slow, because it has exceeded `slowExchangeMs`. */
export function exchangeBecameSlow(times: LatencyEstimate): LatencyEstimate {
  return judge(times, true);
}

/**
 * @param wasJudged whether the exchange was judged as slow while it was in flight
 * @param isAnswered whether the webhook has answered within the time limit
 */
export function exchangeEnded(
  times: LatencyEstimate,
  durationMs: number,
  wasJudged: boolean,
  isAnswered = true,
): LatencyEstimate {
  const ended = times.ended + 1;
  const share = Math.max(newestShare, 1 / (ended + 1));
  const meanMs = times.meanMs + (durationMs - times.meanMs) * share;
  const unanswered = isAnswered ? 0 : times.unanswered + 1;
  const after = { ...times, meanMs, ended, unanswered, inFlight: times.inFlight - 1 };
  return wasJudged ? after : judge(after, durationMs > slowExchangeMs);
}

/** Withdraws an exchange that has begun, and that shows nothing about its webhook. */
export function exchangeWithdrawn(times: LatencyEstimate): LatencyEstimate {
  return { ...times, inFlight: times.inFlight - 1 };
}

function judge(times: LatencyEstimate, isSlow: boolean): LatencyEstimate {
  const share = times.judged === 0 ? 1 : newestJudgedShare;
  const slowShare = times.slowShare + (Number(isSlow) - times.slowShare) * share;
  return { ...times, judged: times.judged + 1, slowShare, isLatestSlow: isSlow };
}

/**
 * The mean time of an exchange. While exchanges are in flight, the mean is at least the time since an exchange began or
 * ended. So a webhook that stops answering is slow long before its exchanges time out.
 *
 * The mean age of the exchanges in flight would be a wrong bound, because slow exchanges are overrepresented in flight.
 * If one exchange in ten hangs for 15 s, nearly all exchanges in flight hang, with a mean age of 7.5 s. But the mean of
 * all exchanges is 1.5 s, and this mean determines how fast the queue of the webhook moves.
 *
 * @param quietMs the milliseconds since an exchange began or ended
 */
export function meanExchangeMs(times: LatencyEstimate, quietMs: number): number {
  return times.inFlight > 0 ? Math.max(times.meanMs, quietMs) : times.meanMs;
}

/**
 * Whether a webhook hangs. Its mean exchange then shows nothing about the exchanges in flight, which may end with the
 * time limit only. A webhook that has begun to hang is quiet. When its exchanges reach the time limit it is no longer
 * quiet, but it hangs until it answers.
 *
 * @param quietMs the milliseconds since an exchange ended, or since the first one in flight began
 */
export function hangs({ inFlight, meanMs, unanswered }: LatencyEstimate, quietMs: number): boolean {
  const isQuiet = inFlight > 0 && quietMs > hangingFromMs && quietMs > hangingFromMeans * meanMs;
  return isQuiet || unanswered >= hangingFromUnanswered;
}

/**
 * The latency class of a webhook. A webhook is slow if about half of its latest exchanges were slow. If only the latest
 * exchange was slow, the webhook may have begun to hang. A webhook that may hang is `unknown`, and gets no slot of the
 * fast class until a quick exchange follows.
 */
export function latencyClassOf({ judged, slowShare, isLatestSlow }: LatencyEstimate): LatencyClass {
  if (judged > 0 && slowShare >= slowFrom) {
    return 'slow';
  }
  return judged === 0 || isLatestSlow ? 'unknown' : 'fast';
}
