import { expect } from 'chai';

import { createTakenUp } from '../../../api/catchUp/takenUp.js';
import type { GroupPosition } from '../../../shared/log/client/groupOffsets.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import type { ModelPositions } from '../../../shared/store/models/generations.js';

/** A log with two partitions, the position of the delivery group, and clocks that a test advances. */
interface Log {
  ends: number[];
  deliveries: number[];
  positions: (GroupPosition | null)[];
  at: number;
  /** Kafka's answers wait for this promise. */
  answers: Promise<void>;
}

function openLog(): Log {
  return {
    ends: [10, 10],
    deliveries: [20, 20],
    positions: [position(10), position(10)],
    at: 1000,
    answers: Promise.resolve(),
  };
}

function position(takenUp: number, at: number | null = null, committed = 0): GroupPosition {
  return { committed, takenUp: { offset: takenUp, at } };
}

function takenUpOf(log: Log) {
  let requests = 0;
  const takenUp = createTakenUp({
    offsets: {
      ends: async (topic) => {
        requests += 1;
        await log.answers;
        return [...(topic === 'events' ? log.ends : log.deliveries)];
      },
    },
    groups: { positions: () => Promise.resolve([...log.positions]) },
    group: 'delivery',
    clock: () => new Date(log.at),
    now: () => log.at,
  });
  return { ...takenUp, requests: () => requests };
}

/** The positions of a model that has read this many records of both partitions of `deliveries`. */
function read(deliveries: number): { readonly positions: ModelPositions } {
  return { positions: { deliveries: { '0': deliveries, '1': deliveries } } };
}

/** The positions of a model that has also read this many records of both partitions of `events`. */
function readAll(deliveries: number, events = 20): { readonly positions: ModelPositions } {
  return { positions: { ...read(deliveries).positions, events: { '0': events, '1': events } } };
}

function eventAt(offset: number, partition = 0) {
  return { mode: 'live', source: { partition, offset, appended: 0 } } as const;
}

describe('the taken-up offsets of delivery', () => {
  let log: Log;
  beforeEach(() => {
    log = openLog();
  });

  it('complete the events below them, once the model contains the records of that time', async () => {
    log.positions = [position(7), position(7)];
    const takenUp = takenUpOf(log);
    await takenUp.refresh();
    const complete = [eventAt(6), eventAt(7), eventAt(6, 1)].map((event) =>
      takenUp.areDeliveriesComplete(event, read(20)),
    );
    expect([...complete, takenUp.areDeliveriesComplete(eventAt(6), read(19))]).to.deep.equal([
      true,
      false,
      true,
      false,
    ]);
  });

  it('are the committed offsets if these have no metadata', async () => {
    log.positions = [{ committed: 7, takenUp: null }, null];
    const takenUp = takenUpOf(log);
    await takenUp.refresh();
    expect(
      [eventAt(6), eventAt(7), eventAt(0, 1)].map((event) => takenUp.areDeliveriesComplete(event, read(20))),
    ).to.deep.equal([true, false, false]);
  });

  it('are not needed by events of test keys and by events whose webhooks are in the log', () => {
    const takenUp = takenUpOf(log);
    const complete = [
      { ...eventAt(9), mode: 'test' as const },
      { ...eventAt(9), matched: true as const },
      {},
      eventAt(0),
    ].map((event) => takenUp.areDeliveriesComplete(event, read(0)));
    expect(complete).to.deep.equal([true, true, false, false]);
  });

  it('are taken from an earlier moment while the model does not contain newer records', async () => {
    log.positions = [position(5), position(5)];
    const takenUp = takenUpOf(log);
    await takenUp.refresh();
    log.at += 1000;
    log.positions = [position(9), position(9)];
    log.deliveries = [30, 30];
    await takenUp.refresh();
    expect(
      [eventAt(4), eventAt(5)].map((event) => takenUp.areDeliveriesComplete(event, read(20))),
    ).to.deep.equal([true, false]);
  });

  it('complete an event permanently, however far the model is behind and however long', async () => {
    const takenUp = takenUpOf(log);
    let highest = -1;
    const lost: number[] = [];
    for (let step = 0; step < 400; step += 1) {
      log.at += 250;
      log.deliveries = [step, step];
      log.positions = [position(step), position(step)];
      await takenUp.refresh();
      // The model reads four records in five, so it is further behind with each step.
      const model = read(Math.floor(step * 0.8));
      const incomplete = Array.from({ length: highest + 1 }, (_, offset) => offset).filter(
        (offset) => !takenUp.areDeliveriesComplete(eventAt(offset), model),
      );
      lost.push(...incomplete);
      while (takenUp.areDeliveriesComplete(eventAt(highest + 1), model)) {
        highest += 1;
      }
    }
    expect([lost, highest > 250]).to.deep.equal([[], true]);
  });

  it('are read once for all requests of 200 ms', async () => {
    const takenUp = takenUpOf(log);
    await Promise.all([takenUp.refresh(), takenUp.refresh()]);
    log.at += 200;
    await takenUp.refresh();
    const shared = takenUp.requests();
    log.at += 1;
    await takenUp.refresh();
    expect([shared, takenUp.requests()]).to.deep.equal([2, 4]);
  });

  it('delay requests only once if Kafka does not respond', async () => {
    let respond: () => void = () => undefined;
    const takenUp = takenUpOf(log);
    await takenUp.refresh();
    log.at += 1000;
    log.answers = new Promise((resolve) => {
      respond = resolve;
    });
    const begun = performance.now();
    await takenUp.refresh();
    const waited = performance.now();
    await takenUp.refresh();
    const passed = performance.now();
    expect(waited - begun).to.be.within(290, 2000);
    expect(passed - waited).to.be.below(100);
    expect(takenUp.areDeliveriesComplete(eventAt(9), read(20))).to.equal(true);
    respond();
    await takenUp.snapshot();
  });

  it('are not lowered by a lower commit', async () => {
    const takenUp = takenUpOf(log);
    await takenUp.refresh();
    log.at += 1000;
    log.positions = [{ committed: 3, takenUp: null }, position(10)];
    await takenUp.refresh();
    expect(takenUp.areDeliveriesComplete(eventAt(9), read(20))).to.equal(true);
  });

  it('are forgotten if the log was replaced', async () => {
    const takenUp = takenUpOf(log);
    await takenUp.refresh();
    log.at += 1000;
    log.ends = [4, 4];
    log.positions = [position(2), position(2)];
    await takenUp.refresh();
    expect(takenUp.areDeliveriesComplete(eventAt(3), read(20))).to.equal(false);
  });

  it('are unknown without an answer of Kafka', async () => {
    const takenUp = takenUpOf({ ...log, answers: Promise.reject(new UnavailableError('away')) });
    await takenUp.refresh();
    const failure: unknown = await takenUp.snapshot().catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(UnavailableError);
    expect(takenUp.areDeliveriesComplete(eventAt(0), read(20))).to.equal(false);
  });

  describe('as a time', () => {
    it('are the time of the snapshot if all events of its log are taken up', async () => {
      const takenUp = takenUpOf(log);
      await takenUp.refresh();
      expect(takenUp.asOf(readAll(20), [read(25)])).to.deep.equal(new Date(1000));
    });

    it('are the time of an earlier snapshot if a model lacks records of a later one, although no event was posted', async () => {
      const takenUp = takenUpOf(log);
      await takenUp.refresh();
      log.at += 1000;
      log.deliveries = [30, 30];
      await takenUp.refresh();
      expect([takenUp.asOf(readAll(30), [read(20)]), takenUp.latest()]).to.deep.equal([
        new Date(1000),
        new Date(2000),
      ]);
    });

    it('are unknown until all models contain the records of a snapshot', async () => {
      const takenUp = takenUpOf(log);
      await takenUp.refresh();
      expect(takenUp.asOf(readAll(20), [read(19)])).to.equal(null);
    });

    it('are unknown while the model of events lacks an event, even if it contains the records of deliveries', async () => {
      const takenUp = takenUpOf(log);
      await takenUp.refresh();
      expect([takenUp.asOf(readAll(20, 9), []), takenUp.latest()]).to.deep.equal([null, new Date(1000)]);
    });

    it('are the append time of the last event below them if a partition is behind', async () => {
      log.positions = [position(10, 900), position(8, 700)];
      const takenUp = takenUpOf(log);
      await takenUp.refresh();
      expect(takenUp.asOf(readAll(20), [])).to.deep.equal(new Date(700));
    });

    it('are the time of an earlier snapshot whose events are taken up now', async () => {
      log.positions = [position(10), position(8)];
      const takenUp = takenUpOf(log);
      await takenUp.refresh();
      log.at += 1000;
      log.ends = [15, 15];
      log.positions = [position(15), position(12)];
      await takenUp.refresh();
      expect(takenUp.asOf(readAll(20), [])).to.deep.equal(new Date(1000));
    });
  });
});
