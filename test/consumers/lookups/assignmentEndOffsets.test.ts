import { expect } from 'chai';

import { createAssignments } from '../../../consumers/lookups/assignmentEndOffsets.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { plainRecord } from '../../support/log.js';
import { rawRecord } from '../../support/records.js';

const handOverMs = 50;

const recordAt = (offset: number, partition = 0) =>
  rawRecord(plainRecord('events', 'key'), { partition, offset });

/** Assignments over a log whose partitions end at 100 and 200, with models that may be behind the log. */
function assignments(behind: { readonly webhooks?: boolean; readonly accounts?: boolean } = {}) {
  const { signal } = new AbortController();
  const asked: string[] = [];
  const progressOf = (isBehind = false) => ({ reached: () => Promise.resolve(!isBehind) });
  const created = createAssignments({
    offsets: {
      ends: (topic) => {
        asked.push(topic);
        return Promise.resolve([100, 200]);
      },
    },
    progress: { webhooks: progressOf(behind.webhooks), accounts: progressOf(behind.accounts) },
    handOverMs,
  });
  return { asked, of: (record = recordAt(0)) => created.of(record, signal) };
}

describe('an assignment', () => {
  it('knows which records were in the log before the partition was assigned', async () => {
    const { predatesAssignment } = await assignments().of();
    const records = [recordAt(99), recordAt(100), recordAt(199, 1), recordAt(200, 1), recordAt(0, 2)];
    expect(records.map(predatesAssignment)).to.deep.equal([true, false, true, false, false]);
  });

  it('is the same for all records of a partition', async () => {
    const { asked, of } = assignments();
    await of(recordAt(1));
    await of(recordAt(2));
    expect(asked).to.deep.equal(['events', 'deliveries', 'webhooks', 'accounts']);
  });

  it('waits once for the outcomes of attempts that the previous owner had in flight', async () => {
    const begunAt = performance.now();
    const { asked, of } = assignments();
    const { deliveriesAfterHandOver } = await of();
    asked.length = 0;
    const ends = await Promise.all([deliveriesAfterHandOver(), deliveriesAfterHandOver()]);
    const waitedMs = performance.now() - begunAt;
    await deliveriesAfterHandOver();

    expect({ asked, ends }).to.deep.equal({
      asked: ['deliveries'],
      ends: [
        [100, 200],
        [100, 200],
      ],
    });
    expect(waitedMs).to.be.at.least(handOverMs - 1);
  });

  for (const model of ['webhooks', 'accounts'] as const) {
    it(`is not available while the ${model} are behind the log of that moment`, async () => {
      const failure: unknown = await assignments({ [model]: true })
        .of()
        .catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(UnavailableError);
    });
  }
});
