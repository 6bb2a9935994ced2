import { expect } from 'chai';

import { recordReference } from '../../../projections/fold/foldDocuments.js';
import type { Batch } from '../../../projections/fold/foldBatches.js';
import { createFoldSession } from '../../../projections/runtime/foldSession.js';
import type { ModelDocument } from '../../../shared/store/models/documents.js';
import { rawRecord } from '../../support/records.js';

const startOffsets = new Map([
  ['events/0', 5],
  ['events/1', 0],
]);

/** A number of records of a partition, up to an offset. */
function batch(partition: number, nextOffset: number, size = 1): Batch<ModelDocument> {
  const outgoing = { topic: 'events', key: 'a', value: Buffer.from('{}'), headers: {} } as const;
  const records = Array.from({ length: size }, (_, index) => ({
    record: recordReference(rawRecord(outgoing, { partition, offset: nextOffset - size + index })),
    folds: [],
  }));
  return { partition: { topic: 'events', partition }, records, nextOffset, filteredAt: Date.now() };
}

/** A session whose folds end when the test ends them. */
function session(maximumConcurrentFolds = 1) {
  const folded: number[][] = [];
  const ends: ((error?: Error) => void)[] = [];
  const created = createFoldSession<ModelDocument>({
    startOffsets,
    maximumConcurrentFolds,
    foldBatches: (batches) => {
      folded.push(batches.map(({ nextOffset }) => nextOffset));
      return new Promise((resolve, reject) => {
        ends.push((error) => {
          if (error === undefined) {
            resolve();
          } else {
            reject(error);
          }
        });
      });
    },
  });
  const end = async (error?: Error) => {
    while (ends.length === 0) {
      await turn();
    }
    ends.shift()?.(error);
    await turn();
  };
  return { ...created, rounds: folded, endRound: end };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('createFoldSession', () => {
  it('knows the next offset at once, and the folded offset after the fold', async () => {
    const { fold, nextOffsetOf, foldedOffsets, endRound } = session();
    const done = fold(batch(0, 9));
    const before = [nextOffsetOf({ topic: 'events', partition: 0 }), foldedOffsets.get('events/0')];
    await endRound();
    await done;

    expect([before, foldedOffsets.get('events/0')]).to.deep.equal([[9, 5], 9]);
  });

  it('folds no batch after a failed one, because its position would cover the failed batch', async () => {
    const { fold, rounds, endRound, isOpen, foldedOffsets } = session();
    const results = Promise.allSettled([fold(batch(0, 9, 2000)), fold(batch(0, 12, 2000))]);
    await endRound(new Error('away'));

    expect([
      (await results).map(({ status }) => status),
      rounds,
      foldedOffsets.get('events/0'),
      isOpen(),
    ]).to.deep.equal([['rejected', 'fulfilled'], [[9]], 5, false]);
  });

  it('folds no batch after it was closed', async () => {
    const { fold, rounds, close, foldedOffsets } = session();
    close();
    await fold(batch(0, 9));

    expect([rounds, foldedOffsets.get('events/0')]).to.deep.equal([[], 5]);
  });

  it('folds partitions of one number in their order, and others in parallel', async () => {
    const { fold, rounds, endRound } = session(2);
    const done = [fold(batch(0, 9, 2000)), fold(batch(0, 12, 2000)), fold(batch(1, 3, 2000))];
    await turn();
    const begun = [...rounds];
    await endRound();
    await endRound();
    await endRound();
    await Promise.all(done);

    expect([begun, rounds.at(-1)]).to.deep.equal([[[9], [3]], [12]]);
  });

  it('has capacity again once enough pending records are folded', async () => {
    const { fold, waitForCapacity, endRound, drained } = session();
    const done = [4000, 8000].map((nextOffset) => fold(batch(0, nextOffset, 4000)));
    let had = false;
    const room = waitForCapacity().then(() => {
      had = true;
    });
    await turn();
    const before = had;
    await endRound();
    await room;
    await endRound();
    await drained();
    await Promise.all(done);

    expect(before).to.equal(false);
  });
});
