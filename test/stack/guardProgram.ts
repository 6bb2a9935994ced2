import { spawn } from 'node:child_process';

import { createWatchdog } from '../../stack/processes/watchdog.js';

/**
 * Guards `sleep`s of a duration that no other process has: `guardProgram.ts DURATION released|guarded…`.
 * Prints a line when it does, and stays.
 */
const [duration = '', ...fates] = process.argv.slice(2);
// What heeds SIGTERM must not be helped by SIGKILL.
const watchdog = createWatchdog({ killAfterMs: fates.includes('stubborn') ? 300 : 60_000 });

for (const fate of fates) {
  const script =
    fate === 'stubborn' ? `trap '' TERM; sleep ${duration} & wait; wait` : `exec sleep ${duration}`;
  const { pid = 0 } = spawn('/bin/sh', ['-c', script], { detached: true, stdio: 'ignore' });
  watchdog.guard(pid);
  if (fate === 'released') {
    watchdog.release(pid);
  }
}
process.stdout.write('guarding\n');
setInterval(() => undefined, 60_000);
