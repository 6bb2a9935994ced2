import { spawn } from 'node:child_process';

import { createWatchdog } from '../../stack/processes/watchdog.js';

/**
 * Guards `sleep` processes with a unique duration: `guardProgram.ts DURATION released|guarded|stubborn…`.
 * Prints a line when it guards them, and continues to run.
 */
const [duration = '', ...fates] = process.argv.slice(2);
// Only a process that ignores SIGTERM is to get SIGKILL within the time of a test.
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
