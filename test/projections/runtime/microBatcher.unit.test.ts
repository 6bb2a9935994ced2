import { expect } from 'chai';

import { createMicroBatcher, type MicroBatcherSettings } from '../../../projections/runtime/microBatcher.js';

/** A micro-batcher that records its batches, each of which the test ends. */
function gathered(maximumSize = 10, settings: Partial<MicroBatcherSettings<number>> = {}) {
  const rounds: number[][] = [];
  const ends: ((error?: Error) => void)[] = [];
  const gather = createMicroBatcher<number>({
    process: (items) => {
      rounds.push([...items]);
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
    sizeOf: (item) => item,
    maximumSize,
    ...settings,
  });
  /** Ends the batch that is in flight, once it has begun. */
  const end = async (error?: Error) => {
    while (ends.length === 0) {
      await turn();
    }
    ends.shift()?.(error);
    await turn();
  };
  return { gather, rounds, end };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The same with items that are ordered by their tens, and two concurrent batches. */
function besideEachOther(maximumSize: number) {
  return gathered(maximumSize, {
    sizeOf: () => 1,
    orderingKey: (item) => Math.floor(item / 10),
    maximumConcurrentBatches: 2,
  });
}

describe('createMicroBatcher', () => {
  it('processes items of one turn of the event loop together', async () => {
    const { gather, rounds, end } = gathered();
    const done = Promise.all([gather(1), gather(2), gather(3)]);
    await end();
    await done;

    expect(rounds).to.deep.equal([[1, 2, 3]]);
  });

  it('processes items together that arrive while a batch is in flight', async () => {
    const { gather, rounds, end } = gathered();
    const done = [gather(1)];
    await turn();
    done.push(gather(2));
    await turn();
    done.push(gather(3));
    await end();
    await end();
    await Promise.all(done);

    expect(rounds).to.deep.equal([[1], [2, 3]]);
  });

  it('starts no batch before the one before has ended', async () => {
    const { gather, rounds, end } = gathered();
    const first = gather(1);
    await turn();
    const second = gather(2);
    await turn();
    const begun = rounds.length;
    await end();
    await end();
    await Promise.all([first, second]);

    expect(begun).to.equal(1);
  });

  it('processes no more items together than its limit', async () => {
    const { gather, rounds, end } = gathered(5);
    const done = Promise.all([gather(2), gather(3), gather(1), gather(9), gather(9)]);
    for (let round = 0; round < 4; round += 1) {
      await end();
    }
    await done;

    expect(rounds).to.deep.equal([[2, 3], [1], [9], [9]]);
  });

  it('fails the items of a failed batch, and no others', async () => {
    const { gather, end } = gathered(2);
    const results = Promise.allSettled([gather(1), gather(1), gather(2)]);
    await end(new Error('away'));
    await end();

    expect((await results).map(({ status }) => status)).to.deep.equal(['rejected', 'rejected', 'fulfilled']);
  });

  describe('with concurrent batches', () => {
    it('starts another batch if it would be full', async () => {
      const { gather, rounds, end } = besideEachOther(2);
      const done = [gather(11), gather(12)];
      await turn();
      done.push(gather(21), gather(31));
      await turn();
      const begun = [...rounds];
      await end();
      await end();
      await Promise.all(done);

      expect(begun).to.deep.equal([
        [11, 12],
        [21, 31],
      ]);
    });

    it('starts no batch that would not be full', async () => {
      const { gather, rounds, end } = besideEachOther(2);
      const done = [gather(11), gather(12)];
      await turn();
      done.push(gather(21));
      await turn();
      const begun = [...rounds];
      await end();
      await end();
      await Promise.all(done);

      expect(begun).to.deep.equal([[11, 12]]);
    });

    it('starts no more batches than its limit', async () => {
      const { gather, rounds, end } = besideEachOther(1);
      const done = [gather(11), gather(21), gather(31)];
      await turn();
      const begun = [...rounds];
      await end();
      await end();
      await end();
      await Promise.all(done);

      expect(begun).to.deep.equal([[11], [21]]);
    });

    it('keeps items with one ordering key out of two batches at a time', async () => {
      const { gather, rounds, end } = besideEachOther(1);
      const done = [gather(11), gather(12), gather(21)];
      await turn();
      const begun = [...rounds];
      await end();
      await end();
      await end();
      await Promise.all(done);

      expect([begun, rounds]).to.deep.equal([
        [[11], [21]],
        [[11], [21], [12]],
      ]);
    });
  });
});
