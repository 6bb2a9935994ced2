import { setImmediate as endOfTurn, setTimeout as pause } from 'node:timers/promises';

import { monotonicMs } from '../processes/monotonicClock.js';

const timerMs = 1;

/**
 * Waits until a moment of the monotonic clock. A timer is up to a millisecond off: the last one is slept through, with all else that
 * this process does. To wait it out turn by turn would take up to half a core from what is measured.
 */
export async function untilDue(time: number): Promise<void> {
  const milliseconds = Math.floor(time - monotonicMs()) - timerMs;
  await (milliseconds > 0 ? pause(milliseconds) : endOfTurn());
  Atomics.wait(
    new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
    0,
    0,
    time - monotonicMs(),
  );
}
