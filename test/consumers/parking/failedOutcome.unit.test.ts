import { expect } from 'chai';

import { attemptedFact } from '../../../consumers/engine/outcomeFacts.js';
import { createHandleDeliveryRequest, isRequest } from '../../../consumers/sources/deliveryRequests.js';
import type { DeliveryJob } from '../../../consumers/engine/deliveryJob.js';
import type { ResumeInput } from '../../../consumers/engine/resumeDelivery.js';
import { noResponse } from '../../../consumers/http/exchange.js';
import { evolveDelivery, evolveMatched } from '../../../shared/domain/deliveries/evolveDelivery.js';
import { nextStep } from '../../../shared/domain/deliveries/nextStep.js';
import { deliveryRecords } from '../../../shared/log/records/deliveries.js';
import { admitted } from '../../support/admitted.js';
import { contextOf, secondsLater, start, testIdentifier } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';

const job: DeliveryJob = {
  eventId: testIdentifier('evt'),
  accountId: testIdentifier('acct'),
  mode: 'live',
  webhookId: testIdentifier('wh'),
  cycle: 0,
  number: 1,
  attemptsMade: 0,
  trigger: 'first',
  replayId: null,
  epoch: 0,
  positions: { event: { partition: 0, offset: 4 }, outcome: null },
};
const timedOut = {
  ...noResponse({ code: 'timeout', message: 'The webhook did not answer' }),
  outcome: 'failed',
  ...{ requestHeaders: {}, startedAt: start, finishedAt: start, durationMs: 15_000 },
} as const;
const due = secondsLater(5);
const context = contextOf(job.eventId);

function outcome(nextAttemptAt: Date | null) {
  const request = {
    attemptId: testIdentifier('att'),
    url: 'https://example.com',
    webhookVersion: 0,
    eventType: 'a.b',
  };
  return { ...attemptedFact(job, request, timedOut, nextAttemptAt), context };
}

const encoded = (nextAttemptAt: Date | null) =>
  rawRecord(deliveryRecords.encode(outcome(nextAttemptAt), context, 0), { offset: 9 });

/**
 * The next owner of the partition has parked the delivery, and its source record is done. Then the outcome arrives of the
 * attempt that the lost process had in flight. That process dies before it appends the retry record.
 */
const parked = evolveMatched(null, { webhookId: job.webhookId, epoch: 0, waits: 'busy' });
const retrying = evolveDelivery(parked, outcome(due));

/** The steps of the process that reads the outcome. */
async function stepsAfter(record: ReturnType<typeof encoded>, hasScheduled: boolean) {
  const resumed: ResumeInput[] = [];
  const asked: string[] = [];
  const unexpected = () => Promise.reject(new Error('is not expected'));
  const handle = createHandleDeliveryRequest({
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
      of: () => Promise.resolve({ source: { partition: 0, offset: 4, appended: 0 }, deliveries: [retrying] }),
      knownOf: unexpected,
      contentOf: unexpected,
    },
    resumeDelivery: (input) => {
      resumed.push(input);
      return Promise.resolve('done');
    },
    inFlight: {
      hasDone: (key) => {
        asked.push(key);
        return hasScheduled;
      },
    },
    release: { parked: () => undefined },
    deadLetters: { append: unexpected },
  });
  const result = await handle(record, new AbortController().signal, admitted());
  return { result, asked, steps: resumed.map(({ source }) => nextStep(retrying, source)) };
}

describe('a failed outcome whose process has died before the retry record', () => {
  it('leads the owner of the partition to the retry record, even if the delivery was parked meanwhile', async () => {
    const record = encoded(due);
    expect(isRequest(record)).to.equal(true);
    expect(await stepsAfter(record, false)).to.deep.include({
      result: 'done',
      steps: [{ kind: 'schedule', attempt: { number: 2, attemptsMade: 1, trigger: 'retry' }, due }],
    });
  });

  it('costs no look-up if this process has appended the retry record itself', async () => {
    expect(await stepsAfter(encoded(due), true)).to.deep.equal({
      result: 'done',
      asked: [`retry/${job.eventId}/${job.webhookId}/0/2`],
      steps: [],
    });
  });

  it('is not read if no retry follows', () => {
    expect(isRequest(encoded(null))).to.equal(false);
  });
});
