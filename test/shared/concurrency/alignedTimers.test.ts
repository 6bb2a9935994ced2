import { performance } from 'node:perf_hooks';

import { expect } from 'chai';

import { onAlignedInterval, untilAligned } from '../../../shared/concurrency/alignedTimers.js';
import { createOpened } from '../../support/opened.js';
import { eventually } from '../../support/eventually.js';

describe('shared/beats', () => {
  const opened = createOpened();
  afterEach(opened.releaseAll);

  /** The moments at which something came that is repeated. */
  function beatsOf(intervalMs: number) {
    const beats: number[] = [];
    const end = onAlignedInterval(intervalMs, () => {
      beats.push(performance.now());
    });
    opened.add('beats', end);
    return { beats, end };
  }

  it('waits until a full interval of the clock', () => {
    const before = performance.now();
    const wait = untilAligned(1000);
    const after = performance.now();

    const beat = Math.round((after + wait) / 1000) * 1000;
    // Asked for at some moment in between, and rounded up to whole milliseconds.
    expect(beat).to.be.within(before + wait - 1, after + wait);
  });

  it('waits for half an interval at least, and for one and a half at most', () => {
    const waits = new Set(Array.from({ length: 20_000 }, () => untilAligned(4)));

    expect([...waits].filter((wait) => wait < 2 || wait > 6)).to.deep.equal([]);
  });

  it('repeats what it is given', async () => {
    const { beats } = beatsOf(20);

    await eventually('three beats', () => (beats.length > 2 ? true : null));
  });

  it('repeats nothing once it is ended', async () => {
    const ended = beatsOf(20);
    ended.end();
    const other = beatsOf(20);
    await eventually('three beats of another', () => (other.beats.length > 2 ? true : null));

    expect(ended.beats).to.deep.equal([]);
  });
});
