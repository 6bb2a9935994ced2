import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { createAttemptAdmission } from '../../../consumers/fairness/attemptAdmission.js';
import { createAttemptSlots } from '../../../consumers/fairness/attemptSlots.js';
import { createDeferrals } from '../../../consumers/fairness/deferrals.js';
import { slotSettings } from '../../../consumers/fairness/slotPools.js';
import { createLatencyTracker } from '../../../consumers/latency/latencyTracker.js';
import { createLogger } from '../../../shared/core/logger.js';
import { tierFor } from '../../../shared/domain/deliveries/tiers.js';
import { createMetrics } from '../../../shared/runtime/metrics.js';

const owner = { accountId: 'acct_1', webhookId: 'wh_1' };
const webhookConcurrency = 25;
const never = new AbortController().signal;
/** The step of the simulated clock. */
const stepMs = 250;

/**
 * Simulates the drain of one webhook's backlog, all of which is due at the same time.
 * @returns the time until the end of the last attempt, and the number of retry records
 */
async function drain(pairs: number, answerMs: number): Promise<{ tookMs: number; records: number }> {
  let now = 0;
  let records = 0;
  let ended = 0;
  const clock = () => new Date(now);
  const tracker = createLatencyTracker({ now: () => now, idleMs: () => now });
  const slots = createAttemptSlots({
    ...{ webhookConcurrency, tracker, slots: slotSettings(1000) },
    ...{ now: () => now, idleMs: () => now },
  });
  const deferrals = createDeferrals({
    ...{ tracker, webhookConcurrency, now: () => now, clock },
    metrics: createMetrics(),
    logger: createLogger({ role: 'test', level: 'silent', isTerminal: false }),
  });
  const admission = createAttemptAdmission({ slots, tracker, deferrals, webhookConcurrency });
  const agenda = new Map<number, (() => void)[]>();
  const at = (time: number, what: () => void) => {
    const slot = Math.max(Math.ceil(time / stepMs) * stepMs, now + stepMs);
    agenda.set(slot, [...(agenda.get(slot) ?? []), what]);
  };
  const exchange = () =>
    tracker.timed(owner.webhookId, () => new Promise<void>((resolve) => at(now + answerMs, resolve)));
  /** One record of a tier. When it is released, it moves to another tier, or its delivery returns. */
  const waitInTier = (due: number, delayMs: number) => {
    records += 1;
    at(now + delayMs, () => {
      const next = tierFor(due - now);
      if (next === null) {
        at(due, () => void come());
      } else {
        waitInTier(due, next.delayMs);
      }
    });
  };
  const come = async () => {
    const turn = await admission.admit(owner, { isFirst: false, isOverShare: false }, never, exchange);
    if (turn.kind === 'deferred') {
      waitInTier(turn.due.getTime(), turn.tier.delayMs);
    } else {
      ended += 1;
    }
  };
  for (let job = 0; job < pairs; job += 1) {
    void come();
  }
  for (; ended < pairs && now < 86_400_000; now += stepMs) {
    agenda.get(now)?.forEach((what) => {
      what();
    });
    agenda.delete(now);
    await endOfTurn();
  }
  return { tookMs: now, records };
}

describe('the backlog of a webhook', () => {
  for (const answerMs of [500, 1200, 3000, 10_000]) {
    const pairs = 1000;
    const ideal = (pairs * answerMs) / webhookConcurrency;

    it(`drains nearly as fast as the webhook answers, after ${answerMs} ms`, async () => {
      expect((await drain(pairs, answerMs)).tookMs / ideal).to.be.below(1.1);
    });

    it(`costs at most fourteen retry records for each delivery if the webhook answers after ${answerMs} ms`, async () => {
      expect((await drain(pairs, answerMs)).records / pairs).to.be.below(14);
    });
  }
});
