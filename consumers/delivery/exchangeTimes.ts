/** How long exchanges with one webhook take, as far as it is known. */
export interface ExchangeTimes {
  /** Of the exchanges that have ended; the newer ones count for more. */
  readonly meanMs: number;
  /** How many have ended. */
  readonly ended: number;
  readonly inFlight: number;
}

/** What an exchange is taken for as long as none has ended. It counts as one of them afterwards. */
const assumedMs = 250;
/** The share of the newest exchange in the mean: twenty of them are what it remembers. */
const newestShare = 0.05;

/** Of a webhook that nothing is known of. */
export const unknownTimes: ExchangeTimes = { meanMs: assumedMs, ended: 0, inFlight: 0 };

export function exchangeBegan(times: ExchangeTimes): ExchangeTimes {
  return { ...times, inFlight: times.inFlight + 1 };
}

export function exchangeEnded(times: ExchangeTimes, durationMs: number): ExchangeTimes {
  const ended = times.ended + 1;
  const share = Math.max(newestShare, 1 / (ended + 1));
  const meanMs = times.meanMs + (durationMs - times.meanMs) * share;
  return { meanMs, ended, inFlight: times.inFlight - 1 };
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
export function meanExchangeMs(times: ExchangeTimes, quietMs: number): number {
  return times.inFlight > 0 ? Math.max(times.meanMs, quietMs) : times.meanMs;
}
