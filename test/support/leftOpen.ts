import process from 'node:process';

import { eventually } from './eventually.js';

/** How long what the tests have opened may stay open behind the last of them. */
const limitMs = 20_000;

/** What keeps this process alive, by kind: sockets, timers, servers, other processes. */
export function openNow(): readonly string[] {
  return process.getActiveResourcesInfo();
}

/**
 * Waits until nothing is open but what was open before.
 * @throws Error that names what is left
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
