import { expect } from 'chai';

import { createHandleRetry } from '../../../consumers/sources/retries.js';
import { createDueRetries } from '../../../consumers/sources/dueRetries.js';
import { tiers } from '../../../shared/domain/deliveries/tiers.js';
import { encodeRetry } from '../../../shared/log/records/retry.js';
import { start, testRecordId } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';
import { workDueAt } from './tierMember.js';

/** What is done with a due record of a webhook that crowds its partition. */
async function doneWith(predatesAssignment: boolean): Promise<readonly string[]> {
  const done: string[] = [];
  const note = (what: string) => {
    done.push(what);
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
      contentOf: () => Promise.reject(new Error('nothing is sent')),
    },
    windowShare: { during: (_record, _owner, work) => work(true) },
    webhookSemaphore: { run: (_owner, work) => work() },
    deferrals: { defer: () => ({ due: start, tier: tiers[1] }) },
    resumeDelivery: () => note('looked up'),
    log: {
      schedule: async () => {
        await note('put off');
      },
      record: () => Promise.reject(new Error('nothing is recorded')),
    },
    deadLetters: { append: () => Promise.reject(new Error('all is readable')) },
    dueRetries: createDueRetries(),
    clock: () => new Date(),
  });
  const record = encodeRetry(workDueAt(start, 1), tiers[0], { id: testRecordId(1), at: start });
  await handle(rawRecord(record), new AbortController().signal, { takenAt: 0, isOverShare: false });
  return done;
}

describe('a due record of a webhook that crowds its partition', () => {
  it('is put off without a look', async () => {
    expect(await doneWith(false)).to.deep.equal(['put off']);
  });

  it('is looked up where it stood in the log at assignment: a crash may have left it without what follows', async () => {
    expect(await doneWith(true)).to.deep.equal(['looked up']);
  });
});
