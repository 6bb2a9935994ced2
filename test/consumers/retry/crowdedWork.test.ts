import { expect } from 'chai';

import { createDeliverWork } from '../../../consumers/retry/deliverWork.js';
import { createDueWork } from '../../../consumers/retry/dueWork.js';
import { tiers } from '../../../shared/domain/tiers.js';
import { encodeWork } from '../../../shared/topics/work.js';
import { start, testRecordId } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';
import { workDueAt } from './tierMember.js';

/** What is done with a due record of a webhook that crowds its partition. */
async function doneWith(stood: boolean): Promise<readonly string[]> {
  const done: string[] = [];
  const note = (what: string) => {
    done.push(what);
    return Promise.resolve('done' as const);
  };
  const handle = createDeliverWork({
    assignments: {
      prepare: () => undefined,
      of: () =>
        Promise.resolve({
          stood: () => stood,
          deliveries: [],
          deliveriesAfterHandOver: () => Promise.resolve([]),
        }),
    },
    states: {
      of: () => Promise.resolve({ deliveries: [] }),
      knownOf: () => Promise.resolve({ deliveries: [] }),
      contentOf: () => Promise.reject(new Error('nothing is sent')),
    },
    crowd: { during: (_record, _owner, work) => work(true) },
    lines: { run: (_owner, work) => work() },
    deferrals: { defer: () => ({ due: start, tier: tiers[1] }) },
    pursuePair: () => note('looked up'),
    log: {
      plan: async () => {
        await note('put off');
      },
      record: () => Promise.reject(new Error('nothing is recorded')),
    },
    deadLetters: { append: () => Promise.reject(new Error('all is readable')) },
    dueWork: createDueWork(),
    clock: () => new Date(),
  });
  const record = encodeWork(workDueAt(start, 1), tiers[0], { id: testRecordId(1), at: start });
  await handle(rawRecord(record), new AbortController().signal, { takenAt: 0, isCrowded: false });
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
