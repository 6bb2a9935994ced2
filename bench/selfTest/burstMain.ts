import process from 'node:process';

import { answerRequests } from '../processes/answerRequests.js';

const [busyMs = 3000, restMs = 7000] = process.argv.slice(2).map(Number);

/** A program that uses one core in bursts. */
function burst(): void {
  const end = performance.now() + busyMs;
  while (performance.now() < end) {
    Math.sqrt(end);
  }
  setTimeout(burst, restMs);
}

answerRequests('', () => Promise.resolve(null));
burst();
