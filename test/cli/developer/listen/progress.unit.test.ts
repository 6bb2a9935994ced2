import { expect } from 'chai';
import fc from 'fast-check';

import {
  isDone,
  progressFrom,
  progressText,
  readProgress,
  withDone,
  type EventPosition,
} from '../../../../cli/developer/listen/progress.js';
import { progressKeeper } from '../../../../cli/developer/listen/progressFile.js';

const floor = new Date('2026-11-21T06:46:41.388Z');

/** Events that arrive at most a minute behind newer ones, as the stream sends them, some of them repeatedly. */
const arrivals = fc
  .array(
    fc.record({ lateMs: fc.integer({ min: 0, max: 60_000 }), pauseMs: fc.integer({ max: 40_000, min: 0 }) }),
  )
  .chain((steps) => {
    let now = floor.getTime() + 60_000;
    const events = steps.map(({ lateMs, pauseMs }, index): EventPosition => {
      now += pauseMs;
      return { id: `evt_${String(index)}`, created: now - lateMs };
    });
    const repeated = events.map((event) => fc.constantFrom([event], [event, event]));
    return fc.tuple(...repeated).map((all) => all.flat());
  });

describe('the progress of listen', () => {
  it('has each event forwarded once, also over restarts, although events come late and repeatedly', () => {
    fc.assert(
      fc.property(arrivals, (events) => {
        const forwarded: string[] = [];
        let progress = progressFrom(floor);
        for (const event of events) {
          if (!isDone(progress, event)) {
            forwarded.push(event.id);
            progress =
              readProgress(progressText(withDone(progress, event, Date.parse('2027-01-01')))) ??
              progressFrom(floor);
          }
        }
        expect(forwarded).to.deep.equal([...new Set(events.map(({ id }) => id))]);
      }),
    );
  });

  it('begins with the events of its floor', () => {
    const progress = progressFrom(floor);
    const at = (created: number) => isDone(progress, { id: 'evt_1', created });
    expect([at(floor.getTime() - 1), at(floor.getTime())]).to.deep.equal([true, false]);
  });

  it('is bounded, and repeats no event of a batch, whose events share one time', () => {
    const now = floor.getTime() + 60_000;
    const events = Array.from({ length: 60 }, (_, index) => ({
      id: `evt_${String(index)}`,
      created: floor.getTime() + Math.floor(index / 5),
    }));
    const progress = events.reduce((before, event) => withDone(before, event, now, 12), progressFrom(floor));
    expect(progress.done.size).to.be.within(12, 17);
    expect(events.filter((event) => !isDone(progress, event))).to.deep.equal([]);
    const late = (created: number) => isDone(progress, { id: 'evt_late', created });
    expect([late(progress.floor - 1), late(progress.floor)]).to.deep.equal([true, false]);
  });

  it('forwards the present events after one of the future, of which it repeats none', () => {
    const now = floor.getTime() + 3_600_000;
    const ahead = { id: 'evt_ahead', created: now + 3_600_000 };
    const first = { id: 'evt_1', created: now };
    let progress = withDone(progressFrom(floor), ahead, now);
    expect(isDone(progress, first)).to.equal(false);
    progress = withDone(progress, first, now);
    expect([ahead, first].map((event) => isDone(progress, event))).to.deep.equal([true, true]);
    expect(progress.newest).to.deep.equal(first);

    const later = { id: 'evt_2', created: ahead.created + 1 };
    progress = withDone(progress, first, later.created);
    expect(progress.newest).to.deep.equal(ahead);
    expect(isDone(progress, later)).to.equal(false);
  });

  it('raises its floor by events of the past only', () => {
    const now = floor.getTime() + 1000;
    const events = Array.from({ length: 30 }, (_, index) => ({
      id: `evt_${String(index)}`,
      created: now + 1 + index,
    }));
    const progress = events.reduce((before, event) => withDone(before, event, now, 10), progressFrom(floor));
    expect(progress.floor).to.equal(floor.getTime());
    expect(progress.done.size).to.equal(10);
  });

  it('is in its file after each event, as often as the file is written anew, without the torn note of a killed run', () => {
    let text = '';
    let writes = 0;
    const folder = {
      write: (_name: string, all: string) => {
        text = all;
        writes += 1;
      },
      append: (_name: string, more: string) => {
        text += more;
      },
    };
    let keep = progressKeeper(folder, 'file');
    let progress = progressFrom(floor);
    keep(progress, null);
    for (let index = 0; index < 250; index += 1) {
      const event = { id: `evt_${String(index)}`, created: floor.getTime() + index };
      const now = event.created + (index % 2) - 0.5;
      progress = withDone(progress, event, now);
      keep(progress, { event, now });
      expect(progressText(readProgress(text) ?? progressFrom(new Date(0)))).to.equal(progressText(progress));
      if (index === 120) {
        text = text.slice(0, -1);
        progress = readProgress(text) ?? progressFrom(floor);
        expect(isDone(progress, event)).to.equal(false);
        keep = progressKeeper(folder, 'file');
      }
    }
    expect(writes).to.equal(4);
  });

  it('is unknown after a damage of its file', () => {
    const good = progressText(progressFrom(floor));
    const texts = ['', '{', 'null', '{"floor":1}', '{"floor":1,"newest":{"id":1},"done":{}}'];
    for (const text of [...texts.map((line) => `${line}\n`), good.trim(), `${good}{}\n`, `\n${good}`]) {
      expect(readProgress(text), text).to.equal(null);
    }
  });
});
