import { expect } from 'chai';

import { createReplayPace } from '../../../consumers/sources/replayPace.js';

/** A pace with a clock that only the test advances. */
function paceOf() {
  let time = 0;
  const pace = createReplayPace(() => time);
  return {
    ...pace,
    /** Requests a page, none of which is pending after this time. */
    page: (tookMs: number) => {
      pace.pageRequested();
      time += tookMs;
      return pace.isDue(0);
    },
    wait: (ms: number) => {
      time += ms;
    },
  };
}

describe('the pace of a replay', () => {
  it('starts at once with 50 events', () => {
    const { isDue, pageSize } = paceOf();

    expect([isDue(0), pageSize()]).to.deep.equal([true, 50]);
  });

  it('waits half a second between two pages', () => {
    const { page } = paceOf();

    expect([page(499), page(500)]).to.deep.equal([false, true]);
  });

  it('waits until no more than one page is pending', () => {
    const { isDue, pageRequested, wait } = paceOf();
    pageRequested();
    wait(1000);

    expect([isDue(51), isDue(50)]).to.deep.equal([false, true]);
  });

  it('doubles its pages while they are attempted quickly, up to 250 events', () => {
    const { page, pageSize } = paceOf();
    const sizes = [1500, 1500, 1500, 1500].map((ms) => {
      page(ms);
      return pageSize();
    });

    expect(sizes).to.deep.equal([100, 200, 250, 250]);
  });

  it('keeps its size while pages take a few seconds', () => {
    const { page, pageSize } = paceOf();
    page(4000);

    expect(pageSize()).to.equal(50);
  });

  it('halves its pages if they take longer, down to 25 events', () => {
    const { page, pageSize } = paceOf();
    const sizes = [4001, 60_000].map((ms) => {
      page(ms);
      return pageSize();
    });

    expect(sizes).to.deep.equal([25, 25]);
  });
});
