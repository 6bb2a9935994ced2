import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { createKeyedSemaphore } from '../../../shared/concurrency/keyedSemaphore.js';

/** A semaphore with two slots for each key, and work that ends when the test says so. */
function openSemaphore() {
  const semaphore = createKeyedSemaphore(2);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    started,
    enter: async (key: string, ...names: readonly string[]) => {
      for (const name of names) {
        void semaphore.run(key, () => {
          started.push(name);
          return new Promise<void>((resolve) => ends.set(name, resolve));
        });
      }
      await endOfTurn();
    },
    end: async (name: string) => {
      ends.get(name)?.();
      await endOfTurn();
    },
    semaphore,
  };
}

describe('the keyed semaphore', () => {
  it('runs as much work of a key as it has slots', async () => {
    const { started, enter } = openSemaphore();
    await enter('busy', 'first', 'second', 'third');

    expect(started).to.deep.equal(['first', 'second']);
  });

  it('gives a free slot to the work that has waited longest', async () => {
    const { started, enter, end } = openSemaphore();
    await enter('busy', 'first', 'second', 'third', 'fourth');
    await end('second');

    expect(started).to.deep.equal(['first', 'second', 'third']);
  });

  it('gives a free slot to waiting work before new work', async () => {
    const { started, enter, end } = openSemaphore();
    await enter('busy', 'first', 'second', 'third');
    await end('first');
    await enter('busy', 'fourth');

    expect(started).to.deep.equal(['first', 'second', 'third']);
  });

  it('delays no work of another key', async () => {
    const { started, enter } = openSemaphore();
    await enter('busy', 'first', 'second', 'third');
    await enter('other', 'its own');

    expect(started).to.include('its own');
  });

  it('has all slots again when all work has ended', async () => {
    const { started, enter, end } = openSemaphore();
    await enter('busy', 'first', 'second');
    await end('first');
    await end('second');
    await enter('busy', 'third', 'fourth', 'fifth');

    expect(started).to.deep.equal(['first', 'second', 'third', 'fourth']);
  });

  it('frees a slot when its work fails', async () => {
    const { started, enter, semaphore } = openSemaphore();
    await enter('busy', 'first');
    await semaphore.run('busy', () => Promise.reject(new Error('failed'))).catch(() => undefined);
    await enter('busy', 'second');

    expect(started).to.deep.equal(['first', 'second']);
  });
});
