import process from 'node:process';

import { eventually } from './eventually.js';

/** The time for which handles of the tests may remain open after the last test. */
const limitMs = 20_000;

/** The open handles that keep this process alive, by kind: sockets, timers, servers, other processes. */
export function openNow(): readonly string[] {
  return process.getActiveResourcesInfo();
}

/**
 * Waits until no handles are open except those from before.
 * @throws Error that names the handles that are still open
 */
export function untilClosed(before: readonly string[]): Promise<boolean> {
  return eventually(
    'the end of all that the tests have opened',
    () => {
      const left = beyond(before, openNow());
      if (left.length > 0) {
        throw new Error(`left open: ${left.join(', ')}`);
      }
      return true;
    },
    limitMs,
  );
}

function beyond(before: readonly string[], now: readonly string[]): readonly string[] {
  const known = [...before];
  return now.filter((kind) => {
    const index = known.indexOf(kind);
    known.splice(index, index === -1 ? 0 : 1);
    return index === -1;
  });
}
