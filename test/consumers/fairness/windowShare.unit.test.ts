import { EventEmitter, once } from 'node:events';
import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { createWindowShare } from '../../../consumers/fairness/windowShare.js';
import { rawRecord } from '../../support/records.js';

/** A window share with a clock that only the test advances. Records stay until the test removes them. */
function crowdOf(otherSeenWithinMs = 60_000) {
  let time = 0;
  const windowShare = createWindowShare({
    ofPartition: { records: 10, bytes: 1000 },
    inAll: { records: 60, bytes: 6000 },
    otherSeenWithinMs,
    now: () => time,
  });
  const leaving = new EventEmitter();
  const left = once(leaving, 'all');
  return {
    /** Admits this number of records of an owner, and returns how many of them are over its share. */
    crowdedOf: (owner: string, count: number, { partition = 0, bytes = 1 } = {}): number => {
      const value = Buffer.alloc(bytes);
      let crowded = 0;
      for (let record = 0; record < count; record += 1) {
        void windowShare.during(
          rawRecord({ topic: 'events', key: '', value, headers: {} }, { partition }),
          owner,
          (isOverShare) => {
            crowded += isOverShare ? 1 : 0;
            return left;
          },
        );
      }
      return crowded;
    },
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
    leaveAll: async () => {
      leaving.emit('all');
      await endOfTurn();
    },
  };
}

describe('the window share of an owner', () => {
  it('is exceeded beyond half of the window', () => {
    const { crowdedOf } = crowdOf();
    crowdedOf('other', 1);

    expect(crowdedOf('busy', 10)).to.equal(4);
  });

  it('is never exceeded by a single owner', () => {
    expect(crowdOf().crowdedOf('busy', 10)).to.equal(0);
  });

  it('is not exceeded a minute after another owner was seen', () => {
    const { crowdedOf, pass } = crowdOf();
    crowdedOf('other', 1);
    pass(60_001);

    expect(crowdedOf('busy', 10)).to.equal(0);
  });

  it('is exceeded if another owner was seen in another window', () => {
    const { crowdedOf } = crowdOf();
    crowdedOf('other', 1, { partition: 1 });

    expect(crowdedOf('busy', 10)).to.equal(4);
  });

  it('is not exceeded by another owner next to a busy one', () => {
    const { crowdedOf } = crowdOf();
    crowdedOf('busy', 10);

    expect(crowdedOf('other', 1)).to.equal(0);
  });

  it('is not exceeded by an owner with few records in many windows', () => {
    const { crowdedOf } = crowdOf();
    crowdedOf('other', 1);

    expect([0, 1, 2, 3].map((partition) => crowdedOf('busy', 5, { partition }))).to.deep.equal([0, 0, 0, 0]);
  });

  it('is exceeded beyond half of the total of all windows', () => {
    const { crowdedOf } = crowdOf();
    crowdedOf('other', 1);
    const windows = [0, 1, 2, 3, 4, 5, 6].map((partition) => crowdedOf('busy', 5, { partition }));

    expect(windows).to.deep.equal([0, 0, 0, 0, 0, 0, 4]);
  });

  it('is exceeded beyond half of the bytes of the window', () => {
    const { crowdedOf } = crowdOf();
    crowdedOf('other', 1);

    expect(crowdedOf('busy', 5, { bytes: 200 })).to.equal(2);
  });

  it('is no longer exceeded when records leave', async () => {
    const { crowdedOf, leaveAll } = crowdOf();
    crowdedOf('other', 1);
    crowdedOf('busy', 6);
    await leaveAll();

    expect(crowdedOf('busy', 6)).to.equal(0);
  });

  it('is exceeded without other owners if the settings say so', () => {
    expect(crowdOf(Infinity).crowdedOf('busy', 10)).to.equal(4);
  });
});
