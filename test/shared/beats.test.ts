import { performance } from 'node:perf_hooks';

import { expect } from 'chai';

import { onEachBeat, untilBeat } from '../../shared/beats.js';
import { createOpened } from '../support/opened.js';
import { eventually } from '../support/eventually.js';

describe('shared/beats', () => {
  const opened = createOpened();
  afterEach(opened.releaseAll);

  /** The full intervals at which something came that is repeated, by their number. */
  function beatsOf(intervalMs: number) {
    const beats: number[] = [];
    const end = onEachBeat(intervalMs, () => {
      beats.push(Math.floor(performance.now() / intervalMs));
    });
    opened.add('beats', end);
    return { beats, end };
  }

  it('waits until a full interval of the clock', () => {
    const before = performance.now();
    const wait = untilBeat(1000);

    const passed = (before + wait) % 1000;
    expect(Math.min(passed, 1000 - passed)).to.be.lessThan(20);
  });

  it('waits for half an interval at least, and for one and a half at most', () => {
    const waits = new Set(Array.from({ length: 20_000 }, () => untilBeat(4)));

    expect([...waits].filter((wait) => wait < 2 || wait > 6)).to.deep.equal([]);
  });

  it('has everything that is repeated come at the same moments, whenever it was begun', async () => {
    const early = beatsOf(100);
    await eventually('the first beat', () => (early.beats.length > 0 ? true : null));
    const late = beatsOf(100);
    await eventually('three beats of both', () => (late.beats.length > 2 ? true : null));

    expect(early.beats.slice(-2)).to.deep.equal(late.beats.slice(-2));
  });

  it('repeats nothing once it is ended', async () => {
    const ended = beatsOf(20);
    ended.end();
    const other = beatsOf(20);
    await eventually('three beats of another', () => (other.beats.length > 2 ? true : null));

    expect(ended.beats).to.deep.equal([]);
  });
});
