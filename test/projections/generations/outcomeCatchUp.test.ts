import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';

import { startOutcomeCatchUp } from '../../../projections/generations/outcomeCatchUp.js';
import type { AwaitedOffsets } from '../../../shared/store/models/modelProgress.js';
import { eventually } from '../../support/eventually.js';
import { createOpened } from '../../support/opened.js';

const version = 3;
const never = 600_000;

describe('catching up with the outcomes of before', () => {
  const opened = createOpened();
  afterEach(opened.releaseAll);

  /** A log whose partition grows with each look, and a model that has read it up to what the test says; null for one that is not there. */
  function catchUpWith(
    meta: { readonly complete: boolean; readonly version: number } | null = { complete: true, version },
    longestHoldMs = never,
  ) {
    const asked: AwaitedOffsets[] = [];
    let end = 10;
    let read = 0;
    const catchUp = startOutcomeCatchUp({
      model: {
        meta: () =>
          meta === null
            ? Promise.reject(new Error('not there'))
            : Promise.resolve({ ...meta, _id: 'meta', positions: {}, target: {} }),
      },
      version,
      progress: {
        reached: (_topic, offsets) => {
          asked.push(offsets);
          return Promise.resolve(read >= (offsets.get(0) ?? 0));
        },
      },
      offsets: { ends: () => Promise.resolve([end++]) },
      logger: { warn: () => undefined },
      longestHoldMs,
    });
    opened.add('catching up', catchUp.stop);
    const readUpTo = (offset: number) => {
      read = offset;
    };
    const looks = (count: number) => eventually(`${count} looks`, () => asked.length >= count || null);
    /** Whether others may go on by now. */
    const goOn = () => Promise.race([catchUp.othersGoOn.then(() => true), pause(0).then(() => false)]);
    return { catchUp, asked, readUpTo, looks, goOn };
  }

  it('is not done while one of them has not been read', async () => {
    const { catchUp, looks, readUpTo } = catchUpWith();
    readUpTo(9);
    await looks(2);
    expect(catchUp.isDone()).to.equal(false);
  });

  it('is done once all have been read that the log held at the start', async () => {
    const { catchUp, asked, looks, readUpTo } = catchUpWith();
    await looks(1);
    readUpTo(10);
    await eventually('the end of it', () => catchUp.isDone() || null);
    expect(asked.map((offsets) => offsets.get(0))).to.deep.equal(asked.map(() => 10));
  });

  for (const [what, meta] of Object.entries({ there: { complete: true, version }, 'not there yet': null })) {
    it(`holds back others while the model is ${what} and has not read them`, async () => {
      const { looks, goOn } = catchUpWith(meta);
      await looks(3);
      expect(await goOn()).to.equal(false);
    });
  }

  it('lets others go on once it is done', async () => {
    const { catchUp, readUpTo } = catchUpWith();
    readUpTo(10);
    await catchUp.othersGoOn;
    expect(catchUp.isDone()).to.equal(true);
  });

  for (const [what, meta] of Object.entries({
    'is begun anew': { complete: false, version },
    'is of another version': { complete: true, version: version - 1 },
  })) {
    it(`lets others go on at once where the model ${what}: it needs all its topics`, async () => {
      const { catchUp } = catchUpWith(meta);
      await catchUp.othersGoOn;
      expect(catchUp.isDone()).to.equal(false);
    });
  }

  it('lets others go on when it has taken too long', async () => {
    const { catchUp } = catchUpWith(undefined, 50);
    await catchUp.othersGoOn;
    expect(catchUp.isDone()).to.equal(false);
  });

  it('lets others go on when it is stopped', async () => {
    const { catchUp } = catchUpWith();
    await catchUp.stop();
    await catchUp.othersGoOn;
  });
});
