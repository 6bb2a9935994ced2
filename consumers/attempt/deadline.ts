/** The time limit of one attempt, over all of its exchanges. */
export interface Deadline {
  readonly milliseconds: number;
  /** Whether the time is over. */
  expired: () => boolean;
  /** For the next exchange: ended by the deadline, or by `abort`. */
  signal: () => AbortSignal;
  /** Ends the present exchange before its time. */
  abort: () => void;
  /** To be called when the attempt is over. */
  clear: () => void;
}

export function startDeadline(milliseconds: number): Deadline {
  let controller = new AbortController();
  let expired = false;
  const timer = setTimeout(() => {
    expired = true;
    controller.abort();
  }, milliseconds);
  return {
    milliseconds,
    expired: () => expired,
    signal: () => {
      if (controller.signal.aborted && !expired) {
        controller = new AbortController();
      }
      return controller.signal;
    },
    abort: () => controller.abort(),
    clear: () => clearTimeout(timer),
  };
}
