/** An attempt that failed. */
export interface Failure {
  readonly eventId: string;
  readonly at: Date;
}

/** The known attempts of a webhook since its last success, or since it was last enabled if that is later. */
export interface FailureHistory {
  /** The first failed attempt; null if none is known. */
  readonly first: Failure | null;
  /** Whether an attempt of another event than that of the latest failure has failed. */
  readonly othersFailed: boolean;
}

/**
 * Whether a webhook is permanently failing. It had no success for this long, and the attempts of several events failed,
 * so the cause is not one event.
 */
export function isFailing(latest: Failure, history: FailureHistory, failingAfterMs: number): boolean {
  return (
    history.othersFailed &&
    history.first !== null &&
    latest.at.getTime() - history.first.at.getTime() >= failingAfterMs
  );
}
