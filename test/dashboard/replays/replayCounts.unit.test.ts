import { expect } from 'chai';

import {
  endedCount,
  openCount,
  replayRefreshMs,
  sentCount,
} from '../../../dashboard/replays/replayCounts.js';

const completed = { status: 'completed', matched: 5, omitted: 2, done: 3, failed: 0 } as const;

describe('the counts of a replay in the dashboard', () => {
  it('contain the sent events, which are at most the counted ones', () => {
    expect(sentCount(completed)).to.equal(3);
    expect(sentCount({ matched: 5, omitted: null })).to.equal(5);
    expect(sentCount({ matched: null, omitted: null })).to.equal(0);
  });

  it('contain the events that ended before and after the start of the replay', () => {
    expect(endedCount(completed, null)).to.equal(2);
    expect(endedCount(completed, 5)).to.equal(2);
    expect(endedCount(completed, 9)).to.equal(6);
    expect(endedCount(completed, 1)).to.equal(2);
  });

  it('contain the sent events whose delivery has not ended', () => {
    expect(openCount(completed)).to.equal(0);
    expect(openCount({ ...completed, done: 1, failed: 1 })).to.equal(1);
  });

  it('contain no ended events before the replay is completed', () => {
    expect(endedCount({ matched: 5, omitted: null }, 9)).to.equal(0);
  });

  it('are refreshed until they are final', () => {
    expect(replayRefreshMs({ ...completed, status: 'running' })).to.be.below(3000);
    expect(replayRefreshMs({ ...completed, done: 2 })).to.be.a('number');
    expect(replayRefreshMs(completed)).to.equal(null);
    expect(replayRefreshMs({ ...completed, status: 'canceled', done: 0 })).to.equal(null);
  });
});
