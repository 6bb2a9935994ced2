import { setImmediate as endOfTurn } from 'node:timers/promises';

import { answerRequests } from './answerRequests.js';

const turnMs = 100;

answerRequests('', () => Promise.resolve(null));

/** A program that takes all time of a core that it gets. */
for (;;) {
  const end = performance.now() + turnMs;
  while (performance.now() < end) {
    Math.sqrt(end);
  }
  await endOfTurn();
}
