import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { UnavailableError } from '../../../shared/core/errors.js';
import { createFairSemaphore } from '../../../shared/concurrency/fairSemaphore.js';

interface Piece {
  readonly name: string;
  readonly outcome: Promise<'done' | 'rejected'>;
}

/** Work that ends when the test says so, in the order in which it was started. */
function openSemaphore() {
  const semaphore = createFairSemaphore({
    slots: 2,
    maximumWaiting: 6,
    maximumWaitingOfKey: 4,
    overload: 'too much',
    retryAfterSeconds: 1,
  });
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const enter = (key: string, name = key): Piece => {
    const work = () => {
      started.push(name);
      return new Promise<'done'>((resolve) => {
        ends.push(() => {
          resolve('done');
        });
      });
    };
    const outcome = semaphore.run(key, work).catch((error: unknown) => {
      expect(error).to.be.instanceOf(UnavailableError);
      return 'rejected' as const;
    });
    return { name, outcome };
  };
  const endAll = async (pieces: readonly Piece[]) => {
    // Each end starts the next piece of work, so there are no more ends than pieces.
    let left = pieces.length;
    while (left > 0) {
      await new Promise(setImmediate);
      ends.shift()?.();
      left -= 1;
    }
    return Promise.all(pieces.map(({ outcome }) => outcome));
  };
  return { enter, started, ends, endAll, run: semaphore.run };
}

describe('the fair semaphore', () => {
  it('runs no more work at once than it has slots', async () => {
    const { enter, started, endAll } = openSemaphore();
    const pieces = ['a', 'b', 'c'].map((key) => enter(key));
    await new Promise(setImmediate);
    expect([...started]).to.deep.equal(['a', 'b']);
    expect(await endAll(pieces)).to.deep.equal(['done', 'done', 'done']);
  });

  it('gives the next slot to a key with little work before a busy key', async () => {
    const { enter, started, endAll } = openSemaphore();
    const busy = Array.from({ length: 6 }, (_, count) => enter('busy', `busy ${count}`));
    const pieces = [...busy, enter('quiet')];
    await endAll(pieces);
    expect(started.indexOf('quiet')).to.be.at.most(3);
  });

  it('rejects further work of a key that fills its share of the queue, and none of another key', async () => {
    const { enter, endAll } = openSemaphore();
    const busy = Array.from({ length: 8 }, () => enter('busy'));
    const quiet = enter('quiet');
    const outcomes = await endAll([...busy, quiet]);
    expect([outcomes.filter((outcome) => outcome === 'rejected').length, outcomes.at(-1)]).to.deep.equal([
      2,
      'done',
    ]);
  });

  it('rejects the newest work of the busiest key if the queue is full', async () => {
    const { enter, endAll } = openSemaphore();
    const pieces = [
      ...Array.from({ length: 6 }, (_, count) => enter('busy', `busy ${count}`)),
      enter('other'),
      enter('other'),
    ];
    const late = enter('late');
    const outcomes = await endAll([...pieces, late]);
    const rejected = [...pieces, late].filter((_, index) => outcomes[index] === 'rejected');
    expect(rejected.map(({ name }) => name)).to.deep.equal(['busy 5']);
  });

  it('rejects a further key if the queue is full and has one piece of work of each key', async () => {
    const { enter, endAll } = openSemaphore();
    const pieces = Array.from({ length: 9 }, (_, count) => enter(`key ${count}`));
    const outcomes = await endAll(pieces);
    expect(outcomes.map((outcome) => outcome === 'rejected').indexOf(true)).to.equal(8);
  });

  it('frees a slot when its work fails', async () => {
    const { run } = openSemaphore();
    const failing = () => Promise.reject(new Error('failed'));
    await Promise.allSettled([run('a', failing), run('a', failing), run('a', failing)]);
    expect(await run('b', () => Promise.resolve('ran'))).to.equal('ran');
  });
});

/** Ends the work that the tests have left in flight or waiting. */
const endAll: (() => Promise<void>)[] = [];

/** Three slots, two of them for one key at most, and work that ends when the test says so. */
function openShares(maximumWaitMs = 20_000) {
  const semaphore = createFairSemaphore({
    slots: 3,
    slotsOfKey: 2,
    maximumWaitMs,
    overload: 'busy',
    retryAfterSeconds: 1,
  });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  let isEnding = false;
  const all: Promise<unknown>[] = [];
  const enter = (key: string, name: string) => {
    const work = semaphore.run(key, () => {
      started.push(name);
      return isEnding ? Promise.resolve() : new Promise<void>((resolve) => ends.set(name, resolve));
    });
    all.push(work);
    return work;
  };
  endAll.push(async () => {
    isEnding = true;
    ends.forEach((end) => end());
    await Promise.allSettled(all);
  });
  return {
    started,
    enter,
    end: async (name: string) => {
      ends.get(name)?.();
      await endOfTurn();
    },
  };
}

describe('the fair semaphore with limits of the slots of a key and of the wait', () => {
  afterEach(async () => {
    await Promise.all(endAll.splice(0).map((end) => end()));
  });

  it('runs no more work of a key than the key may have slots', async () => {
    const { started, enter } = openShares();
    for (const name of ['a1', 'a2', 'a3']) {
      void enter('a', name);
    }
    await endOfTurn();
    expect(started).to.deep.equal(['a1', 'a2']);
  });

  it('runs the work of another key, no matter how much work of the first key waits', async () => {
    const { started, enter } = openShares();
    for (let number = 1; number <= 100; number += 1) {
      void enter('a', `a${number}`);
    }
    void enter('b', 'b1');
    await endOfTurn();
    expect(started).to.deep.equal(['a1', 'a2', 'b1']);
  });

  it('runs no more work than it has slots, and gives a free slot to the key that has waited longest', async () => {
    const { started, enter, end } = openShares();
    for (const key of ['a', 'b', 'c']) {
      void enter(key, `${key}1`);
      void enter(key, `${key}2`);
    }
    await endOfTurn();
    const atFirst = [...started];
    await end('a1');
    expect([atFirst, started.slice(3)]).to.deep.equal([['a1', 'a2', 'b1'], ['b2']]);
  });

  it('rejects work that gets no slot in time, and skips that work afterwards', async () => {
    const { started, enter, end } = openShares(5);
    void enter('a', 'a1');
    void enter('a', 'a2');
    const failure: unknown = await enter('a', 'late').catch((error: unknown) => error);
    void enter('a', 'a3');
    await end('a1');
    expect([failure instanceof UnavailableError, started]).to.deep.equal([true, ['a1', 'a2', 'a3']]);
  });

  it('frees the slots of work that was rejected after its longest wait', async () => {
    const { started, enter, end } = openShares(5);
    for (const name of ['a1', 'a2']) {
      void enter('a', name);
    }
    void enter('b', 'b1');
    await enter('b', 'late').catch(() => undefined);
    await end('b1');
    void enter('b', 'b2');
    await endOfTurn();
    expect(started).to.deep.equal(['a1', 'a2', 'b1', 'b2']);
  });
});
