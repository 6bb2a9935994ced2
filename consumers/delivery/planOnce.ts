import type { InHand } from './inHand.js';
import { nameOfAttempt, type Pair } from './pair.js';
import type { PairLog } from './pairLog.js';

/**
 * Appends the work record of a pair's next attempt, once in this process for each number: however many copies of a record
 * a crash has left, they do not multiply.
 */
export function createPlanOnce({
  log,
  inHand,
}: {
  readonly log: Pick<PairLog, 'plan'>;
  readonly inHand: InHand;
}): (pair: Pair, due: Date) => Promise<void> {
  return async (pair, due) => {
    await inHand.once(`plan/${nameOfAttempt(pair)}`, async () => {
      await log.plan({ ...pair, due });
      return 'done';
    });
  };
}
