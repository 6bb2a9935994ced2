import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { createInFlightRegistry } from '../../../consumers/engine/inFlightRegistry.js';
import { createWindowShare } from '../../../consumers/fairness/windowShare.js';
import { createHandleRetry } from '../../../consumers/sources/retries.js';
import { createDueRetries } from '../../../consumers/sources/retryReport.js';
import { createKeyedSemaphore } from '../../../shared/concurrency/keyedSemaphore.js';
import { tiers } from '../../../shared/domain/deliveries/schedule.js';
import { encodeRetry, type RetryRecord } from '../../../shared/log/records/retry.js';
import { admitted } from '../../support/admitted.js';
import { start, testIdentifier, testRecordId } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';

const never = new AbortController().signal;
const busy = testIdentifier('wh', 1);
const other = testIdentifier('wh', 2);
const [shortest] = tiers;

function retryOf(webhookId: string, number: number, tenancy: string | null): RetryRecord {
  return {
    ...(tenancy !== null && { tenantId: 'acme', tenancy }),
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
    positions: { event: { partition: 0, offset: null }, outcome: null },
  };
}

function shareOfTen() {
  return createWindowShare({
    ofPartition: { records: 10, bytes: Infinity },
    inAll: { records: Infinity, bytes: Infinity },
    otherSeenWithinMs: Infinity,
    now: () => 0,
  });
}

/** A handler of due records of a tier, in a window of ten, whose look-ups never end. */
function dueRecords() {
  const lookedUp: string[] = [];
  const parked: number[] = [];
  const handleRetry = createHandleRetry({
    assignments: {
      prepare: () => undefined,
      of: () =>
        Promise.resolve({
          assignedAt: 0,
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
    ...{ webhookShare: shareOfTen(), tenantShare: shareOfTen() },
    webhookSemaphore: createKeyedSemaphore(10),
    park: ({ number }) => {
      parked.push(number);
      return Promise.resolve('parked');
    },
    inFlight: createInFlightRegistry(10),
    resumeDelivery: () => Promise.resolve('done'),
    log: {
      record: () => Promise.reject(new Error('is not requested')),
      schedule: () => Promise.reject(new Error('is not requested')),
    },
    deadLetters: { append: () => Promise.resolve() },
    dueRetries: createDueRetries(),
    clock: () => start,
  });
  return {
    lookedUp,
    parked,
    handle: async (
      webhookId: string,
      count: number,
      { signal = never, tenancy = null }: { signal?: AbortSignal; tenancy?: string | null } = {},
    ) => {
      const results: string[] = [];
      for (let number = 1; number <= count; number += 1) {
        const retry = retryOf(webhookId, number, tenancy);
        const record = encodeRetry(retry, shortest, { id: testRecordId(1), at: start });
        void handleRetry(rawRecord(record, { offset: number }), signal, admitted()).then((result) =>
          results.push(result),
        );
      }
      await endOfTurn();
      return results;
    },
  };
}

describe('the due retries of a tier', () => {
  it('are parked without a look-up if their webhook has more than half of the window', async () => {
    const { handle, lookedUp, parked } = dueRecords();
    await handle(busy, 10);

    expect([lookedUp.length, parked.length]).to.deep.equal([6, 4]);
  });

  it('are looked up if they are of another webhook', async () => {
    const { handle, lookedUp } = dueRecords();
    await handle(busy, 10);
    await handle(other, 1);

    expect(lookedUp).to.have.lengthOf(7);
  });

  it('are parked without a look-up if the webhooks of their tenant together have more than half of the window', async () => {
    const { handle, lookedUp, parked } = dueRecords();
    await handle(busy, 5, { tenancy: 'life' });
    await handle(other, 5, { tenancy: 'life' });

    expect([lookedUp.length, parked.length]).to.deep.equal([6, 4]);
  });

  it('are looked up if they are of another tenant', async () => {
    const { handle, lookedUp, parked } = dueRecords();
    await handle(busy, 5, { tenancy: 'life' });
    await handle(other, 5, { tenancy: 'other life' });

    expect([lookedUp.length, parked.length]).to.deep.equal([10, 0]);
  });

  it('are done as soon as they are parked', async () => {
    expect(await dueRecords().handle(busy, 10)).to.deep.equal(['done', 'done', 'done', 'done']);
  });

  it('are not parked if the partition was lost', async () => {
    const { handle, parked } = dueRecords();
    await handle(busy, 10, { signal: AbortSignal.abort() });

    expect(parked).to.deep.equal([]);
  });
});
