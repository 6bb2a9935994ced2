import { expect } from 'chai';

import { startDeliveryCatchUp } from '../../../api/catchUp/deliveryCatchUp.js';
import type { TakenUpSnapshot } from '../../../api/catchUp/takenUp.js';
import { eventually } from '../../support/eventually.js';
import { createOpened } from '../../support/opened.js';

/** The progress of a group in one partition with ten events. */
function snapshotOf(committed: number): TakenUpSnapshot {
  return {
    ...{ time: new Date(0), ends: [10], committed: [committed] },
    ...{ takenUp: [committed], takenUpAt: [null], deliveries: [0] },
  };
}

describe('the detection of a delivery backlog', () => {
  const opened = createOpened();
  afterEach(opened.releaseAll);

  /** The detection over a log of ten events with this committed offset. With null Kafka does not respond. */
  function catchUpWith(committed: () => number | null) {
    let looked = 0;
    const warnings: string[] = [];
    const catchUp = startDeliveryCatchUp({
      takenUp: {
        snapshot: () => {
          looked += 1;
          const offset = committed();
          return offset === null ? Promise.reject(new Error('away')) : Promise.resolve(snapshotOf(offset));
        },
      },
      pollIntervalMs: 100,
      logger: { warn: (_details: unknown, message?: string) => warnings.push(String(message)) },
    });
    opened.add('catching up', catchUp.stop);
    const looks = (count: number) => eventually(`${count} looks`, () => looked >= count || null);
    return { catchUp, looked: () => looked, warnings, looks };
  }

  it('reports a backlog before the first sample', () => {
    expect(catchUpWith(() => 10).catchUp.isCatchingUp()).to.equal(true);
  });

  it('reports no backlog once all events are committed', async () => {
    let committed = 9;
    const { catchUp, looks } = catchUpWith(() => committed);
    await looks(2);
    committed = 10;
    await eventually('the end of it', () => !catchUp.isCatchingUp() || null);
  });

  it('continues to sample after the backlog is done', async () => {
    const { catchUp, looked, looks } = catchUpWith(() => 10);
    await eventually('the end of it', () => !catchUp.isCatchingUp() || null);
    await looks(looked() + 2);
  });

  it('retries and logs a warning if Kafka does not respond', async () => {
    let committed: number | null = null;
    const { catchUp, warnings, looks } = catchUpWith(() => committed);
    await looks(1);
    committed = 10;
    await eventually('a look', () => !catchUp.isCatchingUp() || null);
    expect(warnings).to.deep.equal(['the lag of deliveries is unknown']);
  });
});
