import { expect } from 'chai';

import { createEventBoundary } from '../../../../shared/log/client/eventBoundary.js';

/** A log whose end moves with each read, and which answers only when the test lets it. */
function slowLog() {
  const open: (() => void)[] = [];
  let reads = 0;
  const ends = () =>
    new Promise<readonly number[]>((resolve) => {
      reads += 1;
      const end = reads;
      open.push(() => {
        resolve([end]);
      });
    });
  return {
    eventBoundary: createEventBoundary({
      offsets: { ends },
      boundaryIds: (_owner, _topic, below) => Promise.resolve(below.map((offset) => `evt_${offset}`)),
    }),
    reads: () => reads,
    /** Answers the next read, as soon as it has begun. */
    answer: async () => {
      while (open.length === 0) {
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      open.shift()?.();
    },
  };
}

describe('the boundary of events', () => {
  it('is read once for all commands that waited when the read began', async () => {
    const { eventBoundary, answer, reads } = slowLog();
    const waiting = [eventBoundary(), eventBoundary(), eventBoundary()];
    await answer();

    expect([await Promise.all(waiting), reads()]).to.deep.equal([
      Array.from({ length: 3 }, () => ({ offsets: [1], ids: ['evt_1'] })),
      1,
    ]);
  });

  it('is read again for a command that begins during a read', async () => {
    const { eventBoundary, answer } = slowLog();
    const first = eventBoundary();
    await answer();
    // The first read has begun, because it was answered.
    const later = [eventBoundary(), eventBoundary()];
    await first;
    await answer();

    expect((await Promise.all(later)).map(({ offsets }) => offsets)).to.deep.equal([[2], [2]]);
  });

  it('is read again after a read that failed', async () => {
    let fails = true;
    const eventBoundary = createEventBoundary({
      offsets: { ends: () => (fails ? Promise.reject(new Error('no broker')) : Promise.resolve([7])) },
      boundaryIds: () => Promise.resolve([null]),
    });
    const failed = await eventBoundary().catch((error: unknown) => String(error));
    fails = false;

    expect([failed, await eventBoundary()]).to.deep.equal([
      'Error: no broker',
      { offsets: [7], ids: [null] },
    ]);
  });
});
