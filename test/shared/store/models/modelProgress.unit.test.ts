import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';

import { UnavailableError } from '../../../../shared/core/errors.js';
import type { MetaDocument } from '../../../../shared/store/models/generations.js';
import {
  createModelProgress,
  reachedEnds,
  type AwaitedOffsets,
} from '../../../../shared/store/models/modelProgress.js';

const awaited = new Map([[0, 10]]);

function metaAt(position: number): MetaDocument {
  return { _id: 'meta', version: 1, complete: true, positions: { events: { '0': position } }, target: {} };
}

/** A model with these positions, whose reads the test ends. */
function heldReads() {
  const ends: ((position: number) => void)[] = [];
  const progress = createModelProgress(
    () =>
      new Promise<readonly MetaDocument[]>((resolve) => {
        ends.push((position) => {
          resolve([metaAt(position)]);
        });
      }),
  );
  const reached = (timeoutMs = 10_000) => progress.reached('events', awaited, timeoutMs);
  const nextRead = async (count: number) => {
    while (ends.length < count) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    return ends[count - 1] ?? expect.fail('there is no such read');
  };
  return { ends, reached, nextRead };
}

describe('The progress of a model', () => {
  it('is read once for all concurrent waits', async () => {
    const { ends, reached, nextRead } = heldReads();
    const asking = Array.from({ length: 100 }, () => reached());
    (await nextRead(1))(10);
    await Promise.all(asking);

    expect(ends).to.have.length(1);
  });

  it('is read again if a read in flight has not seen enough', async () => {
    const { reached, nextRead } = heldReads();
    const asking = [reached(), reached()];
    (await nextRead(1))(9);
    (await nextRead(2))(10);

    expect(await Promise.all(asking)).to.deep.equal([true, true]);
  });

  it('is polled once for all waits', async () => {
    const { ends, reached, nextRead } = heldReads();
    const asking = Array.from({ length: 100 }, () => reached());
    (await nextRead(1))(9);
    (await nextRead(2))(10);
    await Promise.all(asking);

    expect(ends).to.have.length(2);
  });

  it('is not awaited beyond the timeout', async () => {
    const { reached, nextRead } = heldReads();
    const asking = reached(0);
    (await nextRead(1))(9);

    expect(await asking).to.equal(false);
  });

  it('is read again after a failure', async () => {
    let reads = 0;
    const progress = createModelProgress(() => {
      reads += 1;
      return reads === 1 ? Promise.reject(new Error('away')) : Promise.resolve([metaAt(10)]);
    });

    expect(await progress.reached('events', awaited, 10_000)).to.equal(true);
  });
});

describe('The wait for the present end of a topic', () => {
  /** A wait for brokers that answer then, and the waits for the model that it leads to. */
  const waitWith = async (answered: Promise<unknown>, timeoutMs: number, isInTime = true) => {
    const waits: { readonly offsets: AwaitedOffsets; readonly timeoutMs: number }[] = [];
    const model = {
      offsets: { ends: () => answered.then(() => [3, 5]) },
      progress: {
        reached: (_topic: string, offsets: AwaitedOffsets, limitMs: number) => {
          waits.push({ offsets, timeoutMs: limitMs });
          return Promise.resolve(isInTime);
        },
      },
    };
    const reached = await reachedEnds(model, 'events', timeoutMs).catch((error: unknown) => error);
    return { reached, waits };
  };

  it('waits for all partitions, and says whether the model was in time', async () => {
    const { reached, waits } = await waitWith(Promise.resolve(), 10_000);
    expect([reached, [...(waits[0]?.offsets ?? [])]]).to.deep.equal([
      true,
      [
        [0, 3],
        [1, 5],
      ],
    ]);
    expect((await waitWith(Promise.resolve(), 10_000, false)).reached).to.equal(false);
  });

  it('leaves the model the time that the brokers have not taken', async () => {
    const { waits } = await waitWith(pause(50), 10_000);
    // A timer may fire a millisecond early.
    expect(waits[0]?.timeoutMs).to.be.at.most(9951);
  });

  it('fails if the brokers do not answer in that time', async () => {
    const { reached, waits } = await waitWith(new Promise(() => undefined), 10);
    expect([reached instanceof UnavailableError, waits]).to.deep.equal([true, []]);
  });
});
