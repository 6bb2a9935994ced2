import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { createAttemptAdmission } from '../../../consumers/fairness/attemptAdmission.js';
import { createAttemptSlots } from '../../../consumers/fairness/attemptSlots.js';
import { slotSettings } from '../../../consumers/fairness/slotPools.js';
import { createLatencyTracker } from '../../../consumers/latency/latencyTracker.js';
import { createBacklogLoader } from '../../../consumers/parking/backlogLoader.js';
import { createBacklogs } from '../../../consumers/parking/backlogs.js';
import { testIdentifier } from '../../support/facts.js';
import { accountId, pageOf, parkedDeliveries, webhookId } from './parkedDeliveries.js';

const webhookConcurrency = 25;
const never = new AbortController().signal;
const quickWebhook = { accountId, webhookId: testIdentifier('wh', 2) };
/** The step of the simulated clock. */
const stepMs = 250;

interface Drain {
  /** The time until the end of the last attempt. */
  readonly tookMs: number;
  /** The events in the order in which their attempts began. */
  readonly begun: readonly string[];
  /** The most attempts of the quick webhook of the account that waited at the end of a step. */
  readonly delayed: number;
}

/** Simulates the drain of a webhook's backlog, while a quick webhook of the account gets an event in each step. */
async function drain(count: number, answerMs: number, untilMs = 86_400_000): Promise<Drain> {
  let now = 0;
  let waiting = 0;
  let delayed = 0;
  const begun: string[] = [];
  const entries = new Map(parkedDeliveries(count).map((entry) => [entry.eventId, entry]));
  const clocks = { now: () => now, idleMs: () => now };
  const tracker = createLatencyTracker(clocks);
  const slots = createAttemptSlots({ webhookConcurrency, tracker, slots: slotSettings(1000), ...clocks });
  const admission = createAttemptAdmission({ slots, tracker, webhookConcurrency });
  const agenda = new Map<number, (() => void)[]>();
  const answerAfter = (webhook: string, durationMs: number) =>
    tracker.timed(webhook, () => {
      const at = now + Math.ceil(durationMs / stepMs) * stepMs;
      return new Promise<void>((resolve) => agenda.set(at, [...(agenda.get(at) ?? []), resolve]));
    });
  const loader = createBacklogLoader(
    {
      pages: {
        first: (query) => Promise.resolve(pageOf(entries.values(), query)),
        positions: () => Promise.resolve({ deliveries: { 0: count }, events: { 0: count } }),
      },
      states: { contentOf: () => Promise.reject(new Error('no content is expected to be read')) },
      resumeDelivery: async ({ identity: { eventId }, progress }) => {
        const request = { isFirst: false, isRelease: true, isOverShare: false };
        const slot = await admission.admit({ accountId, webhookId }, request, never);
        if (typeof slot === 'string') {
          return 'abandoned';
        }
        begun.push(eventId);
        await answerAfter(webhookId, answerMs);
        entries.delete(eventId);
        progress?.recorded('ended', { partition: 0, offset: count });
        slot.release();
        return 'done';
      },
      ...{ tracker, webhookConcurrency, now: () => now },
      mostLoaded: 2000,
      logger: { warn: () => undefined },
    },
    () => true,
  );
  const backlogs = createBacklogs();
  const reference = { accountId, tenancy: null, webhookId, home: 0 };
  backlogs.add({ ...reference, offsets: { deliveries: 0, events: 0 } }, never);
  const attemptQuick = async () => {
    waiting += 1;
    void admission.admit(quickWebhook, { isFirst: true, isOverShare: false }, never).then(async (slot) => {
      if (typeof slot !== 'string') {
        waiting -= 1;
        await answerAfter(quickWebhook.webhookId, stepMs);
        slot.release();
      }
    });
    await endOfTurn();
    delayed = Math.max(delayed, waiting);
  };
  loader.examine(backlogs.all());
  for (; entries.size > 0 && now < untilMs; now += stepMs) {
    agenda.get(now)?.forEach((end) => {
      end();
    });
    agenda.delete(now);
    await attemptQuick();
  }
  return { tookMs: now, begun, delayed };
}

describe('the backlog of a webhook that answers again', () => {
  const count = 1000;
  const oldestFirst = parkedDeliveries(count).map(({ eventId }) => eventId);

  for (const answerMs of [500, 1250, 3000, 10_000]) {
    const idealMs = (count * answerMs) / webhookConcurrency;

    it(`drains oldest first, as fast as the webhook answers after ${answerMs} ms, and delays no other webhook`, async () => {
      const { tookMs, begun, delayed } = await drain(count, answerMs);

      expect(tookMs / idealMs).to.be.below(1.1);
      expect([begun, delayed]).to.deep.equal([oldestFirst, 0]);
    });
  }

  it('begins with two attempts, which occupy few slots if the webhook hangs', async () => {
    const { begun } = await drain(count, 86_400_000, 60_000);

    expect(begun).to.deep.equal(oldestFirst.slice(0, 2));
  });
});
