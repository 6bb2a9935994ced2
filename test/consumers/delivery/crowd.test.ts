import { EventEmitter, once } from 'node:events';
import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { createCrowd } from '../../../consumers/delivery/crowd.js';

/** A crowd under a clock that stands still but for what is told, and records in it that stay until they are told to leave. */
function crowdOf(otherSeenWithinMs = 60_000) {
  let time = 0;
  const crowd = createCrowd({ windowRecords: 10, otherSeenWithinMs, now: () => time });
  const leaving = new EventEmitter();
  const left = once(leaving, 'all');
  return {
    /** Lets so many records of an owner in, and tells how many of them are crowded. */
    crowdedOf: (owner: string, count: number, window = 'a'): number => {
      let crowded = 0;
      for (let record = 0; record < count; record += 1) {
        void crowd.during(window, owner, (isCrowded) => {
          crowded += isCrowded ? 1 : 0;
          return left;
        });
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

describe('crowd', () => {
  it('begins beyond half of the window', () => {
    const { crowdedOf } = crowdOf();
    crowdedOf('other', 1);

    expect(crowdedOf('busy', 10)).to.equal(4);
  });

  it('is none of an owner who is alone', () => {
    expect(crowdOf().crowdedOf('busy', 10)).to.equal(0);
  });

  it('is none a minute after another one was seen', () => {
    const { crowdedOf, pass } = crowdOf();
    crowdedOf('other', 1);
    pass(60_001);

    expect(crowdedOf('busy', 10)).to.equal(0);
  });

  it('minds another one who was seen in another window', () => {
    const { crowdedOf } = crowdOf();
    crowdedOf('other', 1, 'b');

    expect(crowdedOf('busy', 10)).to.equal(4);
  });

  it('does not hold the busy one against the other', () => {
    const { crowdedOf } = crowdOf();
    crowdedOf('busy', 10);

    expect(crowdedOf('other', 1)).to.equal(0);
  });

  it('is none of an owner who has a little of many windows', () => {
    const { crowdedOf } = crowdOf();
    crowdedOf('other', 1);

    expect(['a', 'b', 'c', 'd'].map((window) => crowdedOf('busy', 5, window))).to.deep.equal([0, 0, 0, 0]);
  });

  it('ends when records leave', async () => {
    const { crowdedOf, leaveAll } = crowdOf();
    crowdedOf('other', 1);
    crowdedOf('busy', 6);
    await leaveAll();

    expect(crowdedOf('busy', 6)).to.equal(0);
  });

  it('needs nobody else where that is asked for', () => {
    expect(crowdOf(Infinity).crowdedOf('busy', 10)).to.equal(4);
  });
});
