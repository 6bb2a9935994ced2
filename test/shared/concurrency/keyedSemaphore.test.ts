import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { createKeyedSemaphore } from '../../../shared/concurrency/keyedSemaphore.js';

/** Lines of two places for each owner, and the work of their records, which ends when it is told to. */
function linesOfTwo() {
  const lines = createKeyedSemaphore(2);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    come: async (owner: string, ...names: readonly string[]) => {
      for (const name of names) {
        void lines.run(owner, () => {
          begun.push(name);
          return new Promise<void>((resolve) => ends.set(name, resolve));
        });
      }
      await endOfTurn();
    },
    end: async (name: string) => {
      ends.get(name)?.();
      await endOfTurn();
    },
    lines,
  };
}

describe('lines of owners', () => {
  it('begin as many of an owner as there are places', async () => {
    const { begun, come } = linesOfTwo();
    await come('busy', 'first', 'second', 'third');

    expect(begun).to.deep.equal(['first', 'second']);
  });

  it('give a place that becomes free to the one who has waited longest', async () => {
    const { begun, come, end } = linesOfTwo();
    await come('busy', 'first', 'second', 'third', 'fourth');
    await end('second');

    expect(begun).to.deep.equal(['first', 'second', 'third']);
  });

  it('let nobody in between', async () => {
    const { begun, come, end } = linesOfTwo();
    await come('busy', 'first', 'second', 'third');
    await end('first');
    await come('busy', 'fourth');

    expect(begun).to.deep.equal(['first', 'second', 'third']);
  });

  it('hold up nobody for another', async () => {
    const { begun, come } = linesOfTwo();
    await come('busy', 'first', 'second', 'third');
    await come('other', 'its own');

    expect(begun).to.include('its own');
  });

  it('have their places back when all has ended', async () => {
    const { begun, come, end } = linesOfTwo();
    await come('busy', 'first', 'second');
    await end('first');
    await end('second');
    await come('busy', 'third', 'fourth', 'fifth');

    expect(begun).to.deep.equal(['first', 'second', 'third', 'fourth']);
  });

  it('skip an entry that was withdrawn', async () => {
    const { begun, come, end, lines } = linesOfTwo();
    await come('busy', 'first', 'second');
    const withdraw = lines.enter('busy', 0, () => begun.push('withdrawn'));
    withdraw?.();
    await come('busy', 'third');
    await end('first');

    expect(begun).to.deep.equal(['first', 'second', 'third']);
  });

  it('give the place on where the work fails', async () => {
    const { begun, come, lines } = linesOfTwo();
    await come('busy', 'first');
    await lines.run('busy', () => Promise.reject(new Error('failed'))).catch(() => undefined);
    await come('busy', 'second');

    expect(begun).to.deep.equal(['first', 'second']);
  });
});
