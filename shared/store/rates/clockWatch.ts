/** Compares the clock of a server with the monotonic clock of this process. */
export interface ClockWatch {
  /**
   * Reports the time of an answer.
   * @param serverTime the time of the server, in milliseconds
   * @returns whether the clock of the server has jumped since the last answer
   */
  readonly observe: (answer: ObservedAnswer) => boolean;
}

/** An answer with the time of the server, by the monotonic clock of this process, in milliseconds. */
export interface ObservedAnswer {
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly serverTime: number;
}

/** The clock of a server can run so much faster or slower without a jump. NTP corrects at most half of it gradually. */
const drift = 0.001;

/**
 * The server had its time between the request and the answer. So the difference of the clocks is known to the length of
 * a round trip. A jump that is shorter than two round trips may stay unseen.
 * @param toleratedMs the jump that has no effect, in milliseconds
 */
export function createClockWatch(toleratedMs: number): ClockWatch {
  let last: { readonly lowest: number; readonly highest: number; readonly at: number } | null = null;
  return {
    observe: ({ sentAt, receivedAt, serverTime }) => {
      const observed = { lowest: serverTime - receivedAt, highest: serverTime - sentAt, at: receivedAt };
      const before = last;
      last = observed;
      if (before === null) {
        return false;
      }
      const tolerance = toleratedMs + drift * (receivedAt - before.at);
      return observed.lowest > before.highest + tolerance || observed.highest < before.lowest - tolerance;
    },
  };
}
