import { expect } from 'chai';

import { createDeferrals } from '../../../consumers/fairness/deferrals.js';
import { createLatencyTracker } from '../../../consumers/latency/latencyTracker.js';
import { createLogger } from '../../../shared/core/logger.js';
import { createMetrics } from '../../../shared/runtime/metrics.js';

const owner = { accountId: 'acct', webhookId: 'wh' };
const webhookConcurrency = 25;
const hour = 3600;
/** The mean latency then equals the latency of the newest exchanges. */
const knownExchanges = 200;

/**
 * The retry records of each second of an hour, for a webhook that is too slow for its events. First attempts use its capacity. All other deliveries are deferred, and find it busy when they return.
 */
async function recordsEachSecond(eventsPerSecond: number, answerMs: number): Promise<readonly number[]> {
  let now = 0;
  const tracker = createLatencyTracker({ now: () => now, idleMs: () => now });
  const answer = () => {
    now += answerMs;
    return Promise.resolve();
  };
  for (let count = 0; count < knownExchanges; count += 1) {
    await tracker.timed(owner.webhookId, answer);
  }
  const begin = now;
  const deferrals = createDeferrals({
    ...{ tracker, webhookConcurrency, now: () => now },
    clock: () => new Date(now),
    metrics: createMetrics(),
    logger: createLogger({ role: 'test', level: 'silent', isTerminal: false }),
  });
  const returns = new Map<number, number>();
  const defer = (second: number, count: number, isReturn: boolean) => {
    for (let index = 0; index < count; index += 1) {
      now = begin + (second + index / count) * 1000;
      const due = Math.floor((deferrals.defer(owner, isReturn).due.getTime() - begin) / 1000);
      returns.set(due, (returns.get(due) ?? 0) + 1);
    }
  };
  const tooMany = Math.ceil(eventsPerSecond - (webhookConcurrency * 1000) / answerMs);
  return Array.from({ length: hour }, (_, second) => {
    const returned = returns.get(second) ?? 0;
    defer(second, tooMany, false);
    defer(second, returned, true);
    return tooMany + returned;
  });
}

function mean(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
}

describe('the deferrals', () => {
  it('cost what ADR 7 calculates for a webhook with 100 events a second that answers after 10 s', async () => {
    const records = await recordsEachSecond(100, 10_000);

    expect(mean(records)).to.be.within(150, 200);
    // Only whole deliveries count each second: 98 instead of 97.5.
    expect(Math.max(...records)).to.be.within(400, 470);
  });

  for (const eventsPerSecond of [10, 50, 200]) {
    it(`cost at most two records an hour for each of ${eventsPerSecond} events a second to a webhook that hangs`, async () => {
      expect(mean(await recordsEachSecond(eventsPerSecond, 15_000))).to.be.at.most(2 * eventsPerSecond);
    });
  }
});
