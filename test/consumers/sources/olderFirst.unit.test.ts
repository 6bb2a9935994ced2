import { setImmediate as endOfTurn, setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';

import { createOlderFirst, type OlderFirst } from '../../../consumers/sources/olderFirst.js';

/** Look-ups that end when the test says so, and newer events that wait for them. */
function eventsOf({ lookUp, whenLookedUp }: OlderFirst) {
  const { signal } = new AbortController();
  const assignedAt = performance.now();
  const done: string[] = [];
  return {
    assignedAt,
    done,
    older: (tenant: string, name: string) => {
      let end: () => void = () => undefined;
      const looked = new Promise<void>((resolve) => {
        end = resolve;
      });
      const ended = lookUp(tenant, assignedAt, () => looked).then(() => done.push(name));
      return async () => {
        end();
        await ended;
      };
    },
    newer: async (tenant: string, name: string) => {
      await whenLookedUp(tenant, signal);
      done.push(name);
    },
  };
}

describe('older events that are looked up', () => {
  it('go before the newer events of their tenant, and let those of other tenants pass', async () => {
    const { done, older, newer } = eventsOf(createOlderFirst());
    const [endFirst, endSecond] = [older('a', 'first'), older('a', 'second')];
    const newest = newer('a', 'newer');
    await newer('b', 'of another tenant');
    await endSecond();
    await endFirst();
    await newest;
    await newer('a', 'newest');

    expect(done).to.deep.equal(['of another tenant', 'second', 'first', 'newer', 'newest']);
  });

  it('let newer events pass if the look-ups take too long, and do not hold them up again when repeated', async () => {
    const longestWaitMs = 20;
    const { assignedAt, done, older, newer } = eventsOf(createOlderFirst(longestWaitMs));
    const end = older('a', 'older');
    await newer('a', 'newer');
    await end();
    // A timer may fire a millisecond early.
    while (performance.now() < assignedAt + longestWaitMs) {
      await pause(1);
    }
    const endRepeated = older('a', 'repeated');
    await Promise.race([newer('a', 'newest'), endOfTurn()]);
    await endRepeated();

    expect(done).to.deep.equal(['newer', 'older', 'newest', 'repeated']);
  });

  it('let newer events pass after a look-up that has failed', async () => {
    const { lookUp, whenLookedUp } = createOlderFirst();
    const error = new Error('the model is behind');
    const failing = lookUp('a', performance.now(), () => Promise.reject(error));
    const failed: unknown = await failing.catch((thrown: unknown) => thrown);
    const passes = whenLookedUp('a', new AbortController().signal).then(() => 'passes');

    expect([failed, await Promise.race([passes, endOfTurn('waits')])]).to.deep.equal([error, 'passes']);
  });
});
