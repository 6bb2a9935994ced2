interface RefreshState {
  /** The interval of refreshes in milliseconds, if the service responds fast. */
  readonly everyMs: number;
  /** The number of failed loads since the last success. */
  readonly failures: number;
  /** The duration of the last load in milliseconds. */
  readonly tookMs: number;
}

/** The longest interval after failures, in milliseconds. A page shows the recovery of the service within this time. */
const longestMs = 30_000;

/**
 * The time from the end of a load to the next load, in milliseconds. Each failure doubles the interval. A slow service
 * gets at least as much time without a load as the last load took.
 */
export function refreshDelayMs({ everyMs, failures, tookMs }: RefreshState): number {
  const backedOff = everyMs * 2 ** Math.min(failures, 10);
  return Math.max(everyMs, Math.min(Math.max(backedOff, tookMs), longestMs));
}

/** The time that a normal response may take, in milliseconds. */
const graceMs = 15_000;

/** The age from which a value may be wrong, in milliseconds: two refreshes have not responded. */
export function outdatedAfterMs(everyMs: number): number {
  return 2 * everyMs + graceMs;
}
