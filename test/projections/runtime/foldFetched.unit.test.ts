import { expect } from 'chai';

import { createPoisonRecords } from '../../../projections/fold/poisonRecords.js';
import { createFoldFetched, createOldestPending } from '../../../projections/runtime/foldFetched.js';
import { createFoldSession } from '../../../projections/runtime/foldSession.js';
import { createSharedTurns } from '../../../shared/concurrency/sharedTurns.js';
import type { ModelDocument } from '../../../shared/store/models/documents.js';
import { rawRecord } from '../../support/records.js';

const partition = { topic: 'events', partition: 0 } as const;
const record = rawRecord(
  { topic: 'events', key: 'a', value: Buffer.from('{}'), headers: {} },
  { ...partition, offset: 600 },
);

/** What becomes of a fetched record in a session that folds these partitions, by name, from these offsets. */
async function fetchedInto(startOffsets: ReadonlyMap<string, number>) {
  const folded: number[] = [];
  const session = createFoldSession<ModelDocument>({
    startOffsets,
    foldBatches: (batches) => {
      folded.push(...batches.map(({ nextOffset }) => nextOffset));
      return Promise.resolve();
    },
    maximumConcurrentFolds: 1,
  });
  const oldestPending = createOldestPending<ModelDocument>();
  const foldFetched = createFoldFetched<ModelDocument>({
    sessions: { current: () => session, reopen: () => Promise.resolve() },
    reader: {
      projection: { name: 'events', read: () => ({ readable: true, content: [] }) },
      deadLetters: { append: () => Promise.resolve() },
      filterAndDecrypt: (records) => Promise.resolve(records),
      poison: createPoisonRecords(),
      turns: createSharedTurns(),
    },
    recentIds: null,
    oldestPending,
    consumer: { pause: () => undefined, resume: () => undefined },
    endOffsetOf: () => Number.POSITIVE_INFINITY,
    onBatch: () => undefined,
    logger: { warn: () => undefined },
  });
  const next = await foldFetched(partition, { begin: 600, end: 601, records: [record] });
  return { next, folded, pending: oldestPending.since() };
}

describe('createFoldFetched', () => {
  it('folds a record, and continues behind it', async () => {
    const result = await fetchedInto(new Map([['events/0', 600]]));

    expect(result).to.deep.equal({ next: 601, folded: [601], pending: null });
  });

  it('takes no record of a partition that was fetched before the group removed this member', async () => {
    expect(await fetchedInto(new Map())).to.deep.equal({ next: null, folded: [], pending: null });
  });
});
