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
    atOnce: 2,
    maximumWaiting: 6,
    maximumWaitingOfKey: 4,
    overload: 'too much',
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

describe('shared/fairSemaphore', () => {
  it('runs no more work at once than it has places', async () => {
    const { enter, started, endAll } = openSemaphore();
    const pieces = ['a', 'b', 'c'].map((key) => enter(key));
    await new Promise(setImmediate);
    expect([...started]).to.deep.equal(['a', 'b']);
    expect(await endAll(pieces)).to.deep.equal(['done', 'done', 'done']);
  });

  it('gives the next place to a key with little work before the waiting work of a busy key', async () => {
    const { enter, started, endAll } = openSemaphore();
    const busy = Array.from({ length: 6 }, (_, count) => enter('busy', `busy ${count}`));
    const pieces = [...busy, enter('quiet')];
    await endAll(pieces);
    expect(started.indexOf('quiet')).to.be.at.most(3);
  });

  it('rejects the work of a key that fills its own share, and none of another key', async () => {
    const { enter, endAll } = openSemaphore();
    const busy = Array.from({ length: 8 }, () => enter('busy'));
    const quiet = enter('quiet');
    const outcomes = await endAll([...busy, quiet]);
    expect([outcomes.filter((outcome) => outcome === 'rejected').length, outcomes.at(-1)]).to.deep.equal([
      2,
      'done',
    ]);
  });

  it('takes the place of the newest work of the busiest key when all places to wait are taken', async () => {
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

  it('rejects further keys when each waiting key has one piece of work', async () => {
    const { enter, endAll } = openSemaphore();
    const pieces = Array.from({ length: 9 }, (_, count) => enter(`key ${count}`));
    const outcomes = await endAll(pieces);
    expect(outcomes.map((outcome) => outcome === 'rejected').indexOf(true)).to.equal(8);
  });

  it('gives a place back when its work fails', async () => {
    const { run } = openSemaphore();
    const failing = () => Promise.reject(new Error('failed'));
    await Promise.allSettled([run('a', failing), run('a', failing), run('a', failing)]);
    expect(await run('b', () => Promise.resolve('ran'))).to.equal('ran');
  });
});
