export interface ModelWait {
  /** Waits for the read model. The result is false if the read model is not ready after `timeoutMs`. */
  readonly isReady: (timeoutMs: number) => Promise<boolean>;
  /** The number of records that the read model has read. */
  readonly recordsRead: () => Promise<number>;
  /** Receives the time since the start of the wait, in milliseconds, after each interval. */
  readonly onWaiting: (waitedMs: number) => void;
  /** A signal that is aborted if the read model is no longer needed. */
  readonly signal: AbortSignal;
}

export interface ModelWaitSettings {
  readonly intervalMs: number;
  /** The longest time without progress, in milliseconds. */
  readonly stallMs: number;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
}

const defaults: ModelWaitSettings = { intervalMs: 1000, stallMs: 300_000, now: () => performance.now() };

/**
 * Waits for a read model as long as it makes progress. A busy machine needs minutes for what otherwise takes seconds.
 * @returns false if the read model has read no further record for `stallMs`, or after the signal was aborted
 */
export async function waitWhileProgressing(
  { isReady, recordsRead, onWaiting, signal }: ModelWait,
  { intervalMs, stallMs, now }: ModelWaitSettings = defaults,
): Promise<boolean> {
  const startedAt = now();
  let progress: number | null = null;
  let progressedAt = startedAt;
  while (!(await isReady(intervalMs))) {
    // The read model may be unavailable for a moment, or not exist yet.
    const current = await recordsRead().catch(() => progress);
    if (current !== progress) {
      progress = current;
      progressedAt = now();
    }
    if (signal.aborted || now() - progressedAt >= stallMs) {
      return false;
    }
    onWaiting(now() - startedAt);
  }
  return true;
}
