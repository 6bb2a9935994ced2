import { expect } from 'chai';

import { createConversion } from '../../../projections/generations/conversion.js';
import { eventsProjection } from '../../../projections/models/events.js';
import type { Leases } from '../../../shared/store/coordination/leases.js';
import type { GenerationConversion } from '../../../shared/store/generations/generationConversion.js';

type Page = Awaited<ReturnType<GenerationConversion['convertPage']>>;

const generations = { source: 'events.v3.aa', target: 'events.v4.bb' };
const free: Leases['holdIfFree'] = async (_name, work) => {
  await work();
  return true;
};

describe('The conversion of a generation', () => {
  let converted: number;
  beforeEach(() => {
    converted = 0;
  });

  /** A process that finds these pages, the last one repeatedly. */
  const process = (pages: readonly Page[], { holdIfFree = free, sliceMs = 60_000 } = {}) =>
    createConversion({
      projection: eventsProjection,
      pages: {
        convertPage: () => {
          converted += 1;
          return Promise.resolve(pages[converted - 1] ?? 'converted');
        },
      },
      leases: { holdIfFree },
      sliceMs,
    });

  it('converts page after page up to the last one', async () => {
    const outcome = await process(['converted', 'converted', 'ended'])(generations);
    expect([outcome, converted]).to.deep.equal(['ended', 3]);
  });

  it('continues later if its time slice ends', async () => {
    const outcome = await process([], { sliceMs: 0 })(generations);
    expect([outcome, converted]).to.deep.equal(['continues', 1]);
  });

  it('does nothing while another process converts', async () => {
    const outcome = await process(['ended'], { holdIfFree: () => Promise.resolve(false) })(generations);
    expect([outcome, converted]).to.deep.equal(['continues', 0]);
  });

  it('gives up if a generation was emptied', async () => {
    expect(await process(['emptied'])(generations)).to.equal('given up');
  });

  it('gives up if this program has no conversion', async () => {
    const outcome = await process(['ended'])({ ...generations, source: 'events.v1.aa' });
    expect([outcome, converted]).to.deep.equal(['given up', 0]);
  });
});
