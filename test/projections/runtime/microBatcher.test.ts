import { expect } from 'chai';

import { createMicroBatcher, type MicroBatcherSettings } from '../../../projections/runtime/microBatcher.js';

/** A gathering whose rounds are written down, and each ended when it is told. */
function gathered(maximumSize = 10, settings: Partial<MicroBatcherSettings<number>> = {}) {
  const rounds: number[][] = [];
  const ends: ((error?: Error) => void)[] = [];
  const gather = createMicroBatcher<number>({
    workOn: (items) => {
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
  /** Ends the round that is under way, once it has begun. */
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

/** The same, of items that are ordered by their tens, two rounds at once. */
function besideEachOther(maximumSize: number) {
  return gathered(maximumSize, {
    sizeOf: () => 1,
    orderedBy: (item) => Math.floor(item / 10),
    maximumRounds: 2,
  });
}

describe('createMicroBatcher', () => {
  it('works together on what comes in one turn', async () => {
    const { gather, rounds, end } = gathered();
    const done = Promise.all([gather(1), gather(2), gather(3)]);
    await end();
    await done;

    expect(rounds).to.deep.equal([[1, 2, 3]]);
  });

  it('works together on what comes while a round is under way', async () => {
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

  it('begins no round before the one before has ended', async () => {
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

  it('takes no more together than its limit', async () => {
    const { gather, rounds, end } = gathered(5);
    const done = Promise.all([gather(2), gather(3), gather(1), gather(9), gather(9)]);
    for (let round = 0; round < 4; round += 1) {
      await end();
    }
    await done;

    expect(rounds).to.deep.equal([[2, 3], [1], [9], [9]]);
  });

  it('fails what was in a round that failed, and nothing else', async () => {
    const { gather, end } = gathered(2);
    const results = Promise.allSettled([gather(1), gather(1), gather(2)]);
    await end(new Error('away'));
    await end();

    expect((await results).map(({ status }) => status)).to.deep.equal(['rejected', 'rejected', 'fulfilled']);
  });

  describe('with rounds beside each other', () => {
    it('begins another one where it would be full', async () => {
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

    it('begins none for less: it waits for more to come', async () => {
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

    it('begins no more than its limit', async () => {
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

    it('keeps what is ordered out of two rounds at once', async () => {
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
