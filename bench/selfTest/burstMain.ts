import { answerRequests } from '../processes/answerRequests.js';

const busyMs = 3000;
const restMs = 7000;

/** A program that uses one core in bursts. The benchmark counts it as another program. */
function burst(): void {
  const end = performance.now() + busyMs;
  while (performance.now() < end) {
    Math.sqrt(end);
  }
  setTimeout(burst, restMs);
}

answerRequests('', () => Promise.resolve(null));
burst();
