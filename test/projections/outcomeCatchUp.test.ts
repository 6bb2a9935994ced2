import { expect } from 'chai';

import { startOutcomeCatchUp } from '../../projections/outcomeCatchUp.js';
import type { AwaitedOffsets } from '../../shared/mongo/modelProgress.js';
import { eventually } from '../support/eventually.js';
import { createOpened } from '../support/opened.js';

describe('catching up with the outcomes of before', () => {
  const opened = createOpened();
  afterEach(opened.releaseAll);

  /** A log whose partition grows with each look, and a model that has read it up to what the test says. */
  function catchUpWith() {
    const asked: AwaitedOffsets[] = [];
    let end = 10;
    let read = 0;
    const catchUp = startOutcomeCatchUp({
      progress: {
        reached: (_topic, offsets) => {
          asked.push(offsets);
          return Promise.resolve(read >= (offsets.get(0) ?? 0));
        },
      },
      offsets: { ends: () => Promise.resolve([end++]) },
      logger: { warn: () => undefined },
    });
    opened.add('catching up', catchUp.stop);
    const readUpTo = (offset: number) => {
      read = offset;
    };
    return { catchUp, asked, readUpTo };
  }

  it('is not done while one of them has not been read', async () => {
    const { catchUp, asked, readUpTo } = catchUpWith();
    readUpTo(9);
    await eventually('a second look', () => Promise.resolve(asked.length > 1 || null));
    expect(catchUp.isDone()).to.equal(false);
  });

  it('is done once all have been read that the log held at the start', async () => {
    const { catchUp, asked, readUpTo } = catchUpWith();
    await eventually('a first look', () => Promise.resolve(asked.length > 0 || null));
    readUpTo(10);
    await eventually('the end of it', () => Promise.resolve(catchUp.isDone() || null));
    expect(asked.map((offsets) => offsets.get(0))).to.deep.equal(asked.map(() => 10));
  });
});
