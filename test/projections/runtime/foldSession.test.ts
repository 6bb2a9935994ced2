import { expect } from 'chai';

import { placed } from '../../../projections/fold/foldBatch.js';
import type { Batch } from '../../../projections/fold/foldBatches.js';
import { createFoldSession } from '../../../projections/runtime/foldSession.js';
import type { ModelDocument } from '../../../shared/store/models/documents.js';
import { rawRecord } from '../../support/records.js';

const beginnings = new Map([
  ['events/0', 5],
  ['events/1', 0],
]);

/** So many records of a partition, up to an offset. */
function batch(partition: number, next: number, size = 1): Batch<ModelDocument> {
  const outgoing = { topic: 'events', key: 'a', value: Buffer.from('{}'), headers: {} } as const;
  const records = Array.from({ length: size }, (_, index) => ({
    record: placed(rawRecord(outgoing, { partition, offset: next - size + index })),
    foldings: [],
  }));
  return { partition: { topic: 'events', partition }, records, next };
}

/** A reading whose folds are each ended when it is told. */
function reading(atOnce = 1) {
  const folded: number[][] = [];
  const ends: ((error?: Error) => void)[] = [];
  const created = createFoldSession<ModelDocument>({
    beginnings,
    atOnce,
    foldBatches: (batches) => {
      folded.push(batches.map(({ next }) => next));
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
  it('knows at once what was handed over, and what is folded once it is', async () => {
    const { fold, nextOf, folded, endRound } = reading();
    const done = fold(batch(0, 9));
    const before = [nextOf({ topic: 'events', partition: 0 }), folded.get('events/0')];
    await endRound();
    await done;

    expect([before, folded.get('events/0')]).to.deep.equal([[9, 5], 9]);
  });

  it('folds nothing behind a batch that has failed, for it would pass for folded', async () => {
    const { fold, rounds, endRound, hasEnded } = reading();
    const results = Promise.allSettled([fold(batch(0, 9, 2000)), fold(batch(0, 12, 2000))]);
    await endRound(new Error('away'));

    expect([(await results).map(({ status }) => status), rounds, hasEnded()]).to.deep.equal([
      ['rejected', 'rejected'],
      [[9]],
      true,
    ]);
  });

  it('folds nothing more once it was ended', async () => {
    const { fold, rounds, end } = reading();
    end();
    const [result] = await Promise.allSettled([fold(batch(0, 9))]);

    expect([result.status, rounds]).to.deep.equal(['rejected', []]);
  });

  it('folds partitions of one number in their order, and others beside them', async () => {
    const { fold, rounds, endRound } = reading(2);
    const done = [fold(batch(0, 9, 2000)), fold(batch(0, 12, 2000)), fold(batch(1, 3, 2000))];
    await turn();
    const begun = [...rounds];
    await endRound();
    await endRound();
    await endRound();
    await Promise.all(done);

    expect([begun, rounds.at(-1)]).to.deep.equal([[[9], [3]], [12]]);
  });

  it('has room again once enough is folded of what was handed over', async () => {
    const { fold, hasRoom, endRound, settled } = reading();
    const done = [4000, 8000].map((next) => fold(batch(0, next, 4000)));
    let had = false;
    const room = hasRoom().then(() => {
      had = true;
    });
    await turn();
    const before = had;
    await endRound();
    await room;
    await endRound();
    await settled();
    await Promise.all(done);

    expect(before).to.equal(false);
  });
});
