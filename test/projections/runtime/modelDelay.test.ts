import { expect } from 'chai';

import { createModelDelay } from '../../../projections/runtime/modelDelay.js';
import { createMetrics } from '../../../shared/runtime/metrics.js';
import type { AliasDocument } from '../../../shared/store/models/generations.js';

const generation = 'events.v3.0000beef';
const delay = { oldestMs: 90_000, stalledMs: 30_000 };

const aliasOf = (rest: Partial<AliasDocument>): AliasDocument => ({
  _id: 'events',
  live: 'events.v3.00000000',
  ...rest,
});

/** The values of the two metrics, after what was shown. */
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

describe('projections/modelDelay', () => {
  it('shows how far the live generation is behind, and for how long it has stalled', async () => {
    expect(await shown(aliasOf({ live: generation }), delay)).to.deep.equal([[90], [30]]);
  });

  it('shows of a generation that is being built only for how long it has stalled', async () => {
    const building = { name: generation, purpose: 'switch', state: 'building' } as const;
    expect(await shown(aliasOf({ building }), delay)).to.deep.equal([[], [30]]);
  });

  it('shows nothing of a generation that is compared, which stops at given offsets', async () => {
    const building = { name: generation, purpose: 'check', state: 'building' } as const;
    expect(await shown(aliasOf({ building }), delay)).to.deep.equal([[], []]);
  });

  it('shows nothing of the generation before the live one', async () => {
    const previous = { name: generation, written: true, documents: 1, successorDocuments: 1 };
    expect(await shown(aliasOf({ previous }), delay)).to.deep.equal([[], []]);
  });

  it('shows nothing while the delay is unknown', async () => {
    expect(await shown(aliasOf({ live: generation }), delay, null)).to.deep.equal([[], []]);
  });
});
