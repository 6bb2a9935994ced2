import { expect } from 'chai';

import type { MetaDocument } from '../../../../shared/store/models/generations.js';
import { createModelProgress } from '../../../../shared/store/models/modelProgress.js';

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
