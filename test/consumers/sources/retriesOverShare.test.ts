import { expect } from 'chai';

import { createHandleRetry } from '../../../consumers/sources/retries.js';
import { createDueRetries } from '../../../consumers/sources/retryReport.js';
import { tiers } from '../../../shared/domain/deliveries/tiers.js';
import { encodeRetry } from '../../../shared/log/records/retry.js';
import { start, testRecordId } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';
import { retryDueAt } from '../retry/retryGroup.js';

/** The steps for a due retry of a webhook that is over its share of the window. */
async function stepsFor(predatesAssignment: boolean): Promise<readonly string[]> {
  const steps: string[] = [];
  const step = (what: string) => {
    steps.push(what);
    return Promise.resolve('done' as const);
  };
  const handle = createHandleRetry({
    assignments: {
      prepare: () => undefined,
      of: () =>
        Promise.resolve({
          predatesAssignment: () => predatesAssignment,
          deliveries: [],
          deliveriesAfterHandOver: () => Promise.resolve([]),
        }),
    },
    states: {
      of: () => Promise.resolve({ deliveries: [] }),
      knownOf: () => Promise.resolve({ deliveries: [] }),
      contentOf: () => Promise.reject(new Error('no content is expected to be read')),
    },
    windowShare: { during: (_record, _owner, work) => work(true) },
    webhookSemaphore: { run: (_owner, work) => work() },
    deferrals: { defer: () => ({ due: start, tier: tiers[1] }) },
    resumeDelivery: () => step('looked up'),
    log: {
      schedule: async () => {
        await step('deferred');
      },
      record: () => Promise.reject(new Error('no outcome is expected')),
    },
    deadLetters: { append: () => Promise.reject(new Error('no dead letter is expected')) },
    dueRetries: createDueRetries(),
    clock: () => new Date(),
  });
  const record = encodeRetry(retryDueAt(start, 1), tiers[0], { id: testRecordId(1), at: start });
  await handle(rawRecord(record), new AbortController().signal, { takenAt: 0, isOverShare: false });
  return steps;
}

describe('a due retry of a webhook over its share of the window', () => {
  it('is deferred without a look-up', async () => {
    expect(await stepsFor(false)).to.deep.equal(['deferred']);
  });

  it('is looked up if it was in the log at the assignment, because a crash may have lost the next retry record', async () => {
    expect(await stepsFor(true)).to.deep.equal(['looked up']);
  });
});
