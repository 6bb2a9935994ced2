import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { createWindowShare } from '../../../consumers/fairness/windowShare.js';
import { createHandleRetry } from '../../../consumers/sources/retries.js';
import { createDueRetries } from '../../../consumers/sources/retryReport.js';
import { createKeyedSemaphore } from '../../../shared/concurrency/keyedSemaphore.js';
import { tiers, type Tier } from '../../../shared/domain/deliveries/tiers.js';
import { encodeRetry, type RetryRecord } from '../../../shared/log/records/retry.js';
import { secondsLater, start, testIdentifier, testRecordId } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';

const never = new AbortController().signal;
const busy = testIdentifier('wh', 1);
const other = testIdentifier('wh', 2);
const [shortest] = tiers;

function retryOf(webhookId: string, number: number): RetryRecord {
  return {
    eventId: testIdentifier('evt', number),
    accountId: testIdentifier('acct'),
    mode: 'live',
    webhookId,
    cycle: 0,
    number: 1,
    attemptsMade: 0,
    trigger: 'first',
    replayId: null,
    epoch: 0,
    due: start,
    positions: { event: null, outcome: null },
  };
}

/** A handler of due records of a tier, in a window of ten, whose look-ups never end. */
function dueRecords() {
  const lookedUp: string[] = [];
  const scheduled: { readonly retry: RetryRecord; readonly tier: Tier | undefined }[] = [];
  const handleRetry = createHandleRetry({
    assignments: {
      prepare: () => undefined,
      of: () =>
        Promise.resolve({
          predatesAssignment: () => false,
          deliveries: [0],
          deliveriesAfterHandOver: () => Promise.resolve([0]),
        }),
    },
    states: {
      of: (eventId) => {
        lookedUp.push(eventId);
        return new Promise(() => null);
      },
      knownOf: () => Promise.resolve(null),
      contentOf: () => Promise.reject(new Error('is not requested')),
    },
    windowShare: createWindowShare({
      ofPartition: { records: 10, bytes: Infinity },
      inAll: { records: Infinity, bytes: Infinity },
      otherSeenWithinMs: Infinity,
      now: () => 0,
    }),
    webhookSemaphore: createKeyedSemaphore(10),
    deferrals: { defer: () => ({ due: secondsLater(5), tier: tiers[1] }) },
    resumeDelivery: () => Promise.resolve('done'),
    log: {
      record: () => Promise.reject(new Error('is not requested')),
      schedule: (retry, tier) => {
        scheduled.push({ retry, tier });
        return Promise.resolve();
      },
    },
    deadLetters: { append: () => Promise.resolve() },
    dueRetries: createDueRetries(),
    clock: () => start,
  });
  return {
    lookedUp,
    scheduled,
    handle: async (webhookId: string, count: number, signal = never) => {
      const results: string[] = [];
      for (let number = 1; number <= count; number += 1) {
        const record = encodeRetry(retryOf(webhookId, number), shortest, { id: testRecordId(1), at: start });
        const admitted = { takenAt: 0, isOverShare: false };
        void handleRetry(rawRecord(record, { offset: number }), signal, admitted).then((result) =>
          results.push(result),
        );
      }
      await endOfTurn();
      return results;
    },
  };
}

describe('the due retries of a tier', () => {
  it('are deferred without a look-up if their webhook has more than half of the window', async () => {
    const { handle, lookedUp, scheduled } = dueRecords();
    await handle(busy, 10);

    expect([lookedUp.length, scheduled.length]).to.deep.equal([6, 4]);
  });

  it('are looked up if they are of another webhook', async () => {
    const { handle, lookedUp } = dueRecords();
    await handle(busy, 10);
    await handle(other, 1);

    expect(lookedUp).to.have.lengthOf(7);
  });

  it('are done as soon as they are deferred', async () => {
    expect(await dueRecords().handle(busy, 10)).to.deep.equal(['done', 'done', 'done', 'done']);
  });

  it('wait for a whole tier, no matter when they are due', async () => {
    const { handle, scheduled } = dueRecords();
    await handle(busy, 7);

    expect(scheduled).to.deep.equal([
      { retry: { ...retryOf(busy, 7), due: secondsLater(5) }, tier: tiers[1] },
    ]);
  });

  it('are not deferred if the partition was lost', async () => {
    const { handle, scheduled } = dueRecords();
    await handle(busy, 10, AbortSignal.abort());

    expect(scheduled).to.deep.equal([]);
  });
});
