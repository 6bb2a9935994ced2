import { setImmediate as endOfTurn } from 'node:timers/promises';

/** Time slices of long work, between which the event loop serves other requests. */
export interface TimeSlices {
  /** Whether the work should call `next` before it continues. */
  readonly isOver: () => boolean;
  /** Ends the slice. The next slice begins when the event loop has served what was waiting. */
  readonly next: () => Promise<void>;
}

/** The length of a slice, in milliseconds. Another request waits about so long for each concurrent piece of work. */
const sliceMs = 4;

export function createTimeSlices(): TimeSlices {
  let endsAt = performance.now() + sliceMs;
  return {
    isOver: () => performance.now() >= endsAt,
    next: async () => {
      await endOfTurn();
      endsAt = performance.now() + sliceMs;
    },
  };
}
