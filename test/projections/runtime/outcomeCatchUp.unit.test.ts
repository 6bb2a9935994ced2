import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';

import { startOutcomeCatchUp } from '../../../projections/runtime/outcomeCatchUp.js';
import type { AwaitedOffsets } from '../../../shared/store/models/modelProgress.js';
import { eventually } from '../../support/eventually.js';
import { createOpened } from '../../support/opened.js';

const version = 3;
const never = 600_000;

describe('The catch-up with the outcomes of earlier processes', () => {
  const opened = createOpened();
  afterEach(opened.releaseAll);

  /**
   * A log whose partition grows with each read, and a model at the position that the test sets; null for a missing
   * model.
   */
  function catchUpWith(
    meta: { readonly complete: boolean; readonly version: number } | null = { complete: true, version },
    maximumDelayMs = never,
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
      maximumDelayMs,
    });
    opened.add('catching up', catchUp.stop);
    const readUpTo = (offset: number) => {
      read = offset;
    };
    const looks = (count: number) => eventually(`${count} looks`, () => asked.length >= count || null);
    /** Whether the other topics are released. */
    const goOn = () =>
      Promise.race([catchUp.otherTopicsReleased.then(() => true), pause(0).then(() => false)]);
    return { catchUp, asked, readUpTo, looks, goOn };
  }

  for (const [what, meta] of Object.entries({ complete: { complete: true, version }, missing: null })) {
    it(`delays the other topics while the model is ${what} and has not read the outcomes`, async () => {
      const { looks, goOn } = catchUpWith(meta);
      await looks(3);
      expect(await goOn()).to.equal(false);
    });
  }

  it('releases the other topics once all outcomes have been read that the log contained at the start', async () => {
    const { catchUp, asked, looks, readUpTo, goOn } = catchUpWith();
    readUpTo(9);
    await looks(2);
    const before = await goOn();
    readUpTo(10);
    await catchUp.otherTopicsReleased;
    expect([before, ...asked.map((offsets) => offsets.get(0))]).to.deep.equal([
      false,
      ...asked.map(() => 10),
    ]);
  });

  for (const [what, meta] of Object.entries({
    'is being built': { complete: false, version },
    'is of another version': { complete: true, version: version - 1 },
  })) {
    it(`releases the other topics at once if the model ${what} and needs all its topics`, async () => {
      const { catchUp } = catchUpWith(meta);
      await catchUp.otherTopicsReleased;
    });
  }

  it('releases the other topics when it takes too long', async () => {
    const { catchUp } = catchUpWith(undefined, 50);
    await catchUp.otherTopicsReleased;
  });

  it('releases the other topics when it is stopped', async () => {
    const { catchUp } = catchUpWith();
    await catchUp.stop();
    await catchUp.otherTopicsReleased;
  });
});
