import { expect } from 'chai';

import { createModelDelay } from '../../../projections/generations/generationRunner.js';
import { createMetrics } from '../../../shared/runtime/metrics.js';
import type { AliasDocument } from '../../../shared/store/models/generations.js';

const generation = 'events.v3.0000beef';
const delay = { oldestMs: 90_000, stalledMs: 30_000 };

const aliasOf = (rest: Partial<AliasDocument>): AliasDocument => ({
  _id: 'events',
  live: 'events.v3.00000000',
  ...rest,
});

/** The values of the two metrics after an update. */
async function shown(alias: AliasDocument, ...delays: readonly (typeof delay | null)[]) {
  const metrics = createMetrics();
  const report = createModelDelay({ model: 'events', generation, listed: () => alias, metrics });
  delays.forEach(report.show);
  const [behind, stalled] = await Promise.all([
    metrics.projectionBehind.get(),
    metrics.projectionStalled.get(),
  ]);
  return [behind, stalled].map(({ values }) => values.map(({ value }) => value));
}

describe('The delay metrics of a generation', () => {
  it('show the delay of the live generation, and how long it has stalled', async () => {
    expect(await shown(aliasOf({ live: generation }), delay)).to.deep.equal([[90], [30]]);
  });

  it('show only the stall of a generation that is being built', async () => {
    const building = { name: generation, purpose: 'switch', state: 'building' } as const;
    expect(await shown(aliasOf({ building }), delay)).to.deep.equal([[], [30]]);
  });

  it('omit a generation that is built for a comparison, because it stops at given offsets', async () => {
    const building = { name: generation, purpose: 'check', state: 'building' } as const;
    expect(await shown(aliasOf({ building }), delay)).to.deep.equal([[], []]);
  });

  it('omit the previous generation', async () => {
    const previous = { name: generation, written: true, documents: 1, successorDocuments: 1 };
    expect(await shown(aliasOf({ previous }), delay)).to.deep.equal([[], []]);
  });

  it('are absent while the delay is unknown', async () => {
    expect(await shown(aliasOf({ live: generation }), delay, null)).to.deep.equal([[], []]);
  });
});
