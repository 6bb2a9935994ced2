import { createExchangeEnding, type ExchangeSignal } from './exchangeEnding.js';

/** The time limit of one attempt, over all of its exchanges. */
export interface Deadline {
  readonly milliseconds: number;
  /** Whether the time is over. */
  expired: () => boolean;
  /** For the next exchange: ended by the deadline, or by `abort`. */
  signal: () => ExchangeSignal;
  /** Ends the present exchange before its time. */
  abort: () => void;
  /** To be called when the attempt is over. */
  clear: () => void;
}

export function startDeadline(milliseconds: number): Deadline {
  let ending = createExchangeEnding();
  let expired = false;
  const timer = setTimeout(() => {
    expired = true;
    ending.abort();
  }, milliseconds);
  return {
    milliseconds,
    expired: () => expired,
    signal: () => {
      if (ending.signal.aborted && !expired) {
        ending = createExchangeEnding();
      }
      return ending.signal;
    },
    abort: () => ending.abort(),
    clear: () => clearTimeout(timer),
  };
}
