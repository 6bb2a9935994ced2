import { expect } from 'chai';

import { createCrowd, type Crowd } from '../../../consumers/delivery/crowd.js';

const settings = { windowRecords: 10, otherSeenWithinMs: 60_000 };

/** Lets so many records of an owner in, and tells how many of them are crowded. */
function crowdedOf(crowd: Crowd, owner: string, count: number, { now = 0, window = 'a' } = {}): number {
  return Array.from({ length: count }, () => crowd.enter(window, owner, now)).filter(({ crowded }) => crowded)
    .length;
}

describe('crowd', () => {
  it('begins beyond half of the window', () => {
    const crowd = createCrowd(settings);
    crowd.enter('a', 'other', 0);

    expect(crowdedOf(crowd, 'busy', 10)).to.equal(4);
  });

  it('is none of an owner who is alone', () => {
    expect(crowdedOf(createCrowd(settings), 'busy', 10)).to.equal(0);
  });

  it('is none a minute after another one was seen', () => {
    const crowd = createCrowd(settings);
    crowd.enter('a', 'other', 0);

    expect(crowdedOf(crowd, 'busy', 10, { now: 60_001 })).to.equal(0);
  });

  it('minds another one who was seen in another window', () => {
    const crowd = createCrowd(settings);
    crowd.enter('b', 'other', 0);

    expect(crowdedOf(crowd, 'busy', 10)).to.equal(4);
  });

  it('does not hold the busy one against the other', () => {
    const crowd = createCrowd(settings);
    crowdedOf(crowd, 'busy', 10);

    expect(crowd.enter('a', 'other', 0).crowded).to.equal(false);
  });

  it('is none of an owner who has a little of many windows', () => {
    const crowd = createCrowd(settings);
    crowd.enter('a', 'other', 0);
    const windows = ['a', 'b', 'c', 'd'];

    expect(windows.map((window) => crowdedOf(crowd, 'busy', 5, { window }))).to.deep.equal([0, 0, 0, 0]);
  });

  it('ends when records leave', () => {
    const crowd = createCrowd(settings);
    crowd.enter('a', 'other', 0);
    const places = Array.from({ length: 6 }, () => crowd.enter('a', 'busy', 0));
    places.forEach(({ leave }) => leave());

    expect(crowdedOf(crowd, 'busy', 6)).to.equal(0);
  });

  it('needs nobody else where that is asked for', () => {
    const crowd = createCrowd({ ...settings, otherSeenWithinMs: Infinity });

    expect(crowdedOf(crowd, 'busy', 10)).to.equal(4);
  });
});
