/** An attempt that failed. */
export interface Failure {
  readonly eventId: string;
  readonly at: Date;
}

/** What is known of a webhook's attempts since its last success, or since it was last enabled where that was later. */
export interface FailureHistory {
  /** The first failed attempt; null where none is known. */
  readonly first: Failure | null;
  /** Whether an attempt of another event than the latest failure's has failed. */
  readonly othersFailed: boolean;
}

/**
 * Whether a webhook is failing for good: it has had no success for so long, and more than one event saw it fail, so that
 * the fault is not in one event.
 */
export function isFailing(latest: Failure, history: FailureHistory, failingAfterMs: number): boolean {
  return (
    history.othersFailed &&
    history.first !== null &&
    latest.at.getTime() - history.first.at.getTime() >= failingAfterMs
  );
}
