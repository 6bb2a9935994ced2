import { expect } from 'chai';

import { attemptKey } from '../../../consumers/engine/deliveryJob.js';
import { createInFlightRegistry } from '../../../consumers/engine/inFlightRegistry.js';
import { createHandleRetry } from '../../../consumers/sources/retries.js';
import { createDueRetries } from '../../../consumers/sources/retryReport.js';
import { tiers } from '../../../shared/domain/deliveries/schedule.js';
import { encodeRetry } from '../../../shared/log/records/retry.js';
import { admitted } from '../../support/admitted.js';
import { start, testRecordId } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';
import { retryDueAt } from '../retry/retryGroup.js';

const dueRetry = retryDueAt(start, 1);

/** The steps for a due retry of a webhook that is over its share of the window. */
async function stepsFor(
  predatesAssignment: boolean,
  inFlight = createInFlightRegistry(10),
): Promise<readonly string[]> {
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
          assignedAt: 0,
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
    webhookShare: { during: (_record, _owner, work) => work(true) },
    tenantShare: { during: (_record, _owner, work) => work(false) },
    webhookSemaphore: { run: (_owner, work) => work() },
    park: async () => {
      await step('parked');
      return 'parked';
    },
    inFlight,
    resumeDelivery: () => step('looked up'),
    log: {
      schedule: () => Promise.reject(new Error('no retry record is expected')),
      record: () => Promise.reject(new Error('no outcome is expected')),
    },
    deadLetters: { append: () => Promise.reject(new Error('no dead letter is expected')) },
    dueRetries: createDueRetries(),
    clock: () => new Date(),
  });
  const record = encodeRetry(dueRetry, tiers[0], { id: testRecordId(1), at: start });
  await handle(rawRecord(record), new AbortController().signal, admitted());
  return steps;
}

describe('a due retry of a webhook over its share of the window', () => {
  it('is parked without a look-up', async () => {
    expect(await stepsFor(false)).to.deep.equal(['parked']);
  });

  it('is looked up if it was in the log at the assignment, because a crash may have lost the next retry record', async () => {
    expect(await stepsFor(true)).to.deep.equal(['looked up']);
  });

  it('is not parked if its attempt was in flight, and is done with the outcome of that attempt', async () => {
    const inFlight = createInFlightRegistry(10);
    let end: () => void = () => undefined;
    const attempt = new Promise<'done'>((resolve) => {
      end = () => resolve('done');
    });
    const attempted = inFlight.run(attemptKey(dueRetry), () => attempt);
    const steps = stepsFor(false, inFlight);
    end();
    await attempted;

    expect(await steps).to.deep.equal([]);
  });

  it('is parked once, even if the log contains its record twice', async () => {
    const inFlight = createInFlightRegistry(10);

    expect([await stepsFor(false, inFlight), await stepsFor(false, inFlight)]).to.deep.equal([
      ['parked'],
      [],
    ]);
  });
});
