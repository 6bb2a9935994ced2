/** An attempt that failed. */
export interface Failure {
  readonly eventId: string;
  readonly at: Date;
}

/** The failed attempts of a webhook since its last successful attempt, or since the webhook was last enabled. */
export interface FailureHistory {
  /** The first failed attempt of the history; null if no failed attempt is known. */
  readonly first: Failure | null;
  /** Whether attempts of at least two events failed. */
  readonly othersFailed: boolean;
}

/**
 * Whether a webhook is permanently failing. A webhook is failing if it had no success for `failingAfterMs` and attempts
 * of at least two events failed. With one event, the event itself could be the cause.
 */
export function isFailing(latest: Failure, history: FailureHistory, failingAfterMs: number): boolean {
  return (
    history.othersFailed &&
    history.first !== null &&
    latest.at.getTime() - history.first.at.getTime() >= failingAfterMs
  );
}
