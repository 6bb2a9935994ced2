import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { UnavailableError } from '../../../shared/core/errors.js';
import { createFairShare } from '../../../shared/concurrency/fairShare.js';

/** A share of three slots, two of them for one owner at most, and work that ends when the test says so. */
function shareOfThree(waitMs = 20_000) {
  const share = createFairShare({ slots: 3, slotsOfOwner: 2, waitMs, busy: 'busy' });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const come = (owner: string, name: string) =>
    share.run(owner, () => {
      started.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  return {
    started,
    come,
    end: async (name: string) => {
      ends.get(name)?.();
      await endOfTurn();
    },
  };
}

describe('shared/fairShare', () => {
  it('runs as much work of an owner as it may have slots', async () => {
    const { started, come } = shareOfThree();
    for (const name of ['a1', 'a2', 'a3']) {
      void come('a', name);
    }
    await endOfTurn();
    expect(started).to.deep.equal(['a1', 'a2']);
  });

  it('runs the work of another owner, however much waits of the first one', async () => {
    const { started, come } = shareOfThree();
    for (let number = 1; number <= 100; number += 1) {
      void come('a', `a${number}`);
    }
    void come('b', 'b1');
    await endOfTurn();
    expect(started).to.deep.equal(['a1', 'a2', 'b1']);
  });

  it('runs no more work than it has slots, and gives a free slot to the owner that has waited longest', async () => {
    const { started, come, end } = shareOfThree();
    for (const owner of ['a', 'b', 'c']) {
      void come(owner, `${owner}1`);
      void come(owner, `${owner}2`);
    }
    await endOfTurn();
    const atFirst = [...started];
    await end('a1');
    expect([atFirst, started.slice(3)]).to.deep.equal([['a1', 'a2', 'b1'], ['b2']]);
  });

  it('rejects work that gets no slot in time, and skips it afterwards', async () => {
    const { started, come, end } = shareOfThree(5);
    void come('a', 'a1');
    void come('a', 'a2');
    const failure: unknown = await come('a', 'late').catch((error: unknown) => error);
    void come('a', 'a3');
    await end('a1');
    expect([failure instanceof UnavailableError, started]).to.deep.equal([true, ['a1', 'a2', 'a3']]);
  });

  it('frees the slots of work that was rejected in the common line', async () => {
    const { started, come, end } = shareOfThree(5);
    for (const name of ['a1', 'a2']) {
      void come('a', name);
    }
    void come('b', 'b1');
    await come('b', 'late').catch(() => undefined);
    await end('b1');
    void come('b', 'b2');
    await endOfTurn();
    expect(started).to.deep.equal(['a1', 'a2', 'b1', 'b2']);
  });
});
