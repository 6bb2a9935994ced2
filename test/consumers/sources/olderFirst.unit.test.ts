import { expect } from 'chai';

import { createOlderFirst, type OlderFirst } from '../../../consumers/sources/olderFirst.js';

/** Look-ups that end when the test says so, and newer events that wait for them. */
function eventsOf({ lookUp, whenLookedUp }: OlderFirst) {
  const done: string[] = [];
  return {
    done,
    older: (accountId: string, name: string) => {
      let end: () => void = () => undefined;
      const looked = new Promise<void>((resolve) => {
        end = resolve;
      });
      const ended = lookUp(accountId, () => looked).then(() => done.push(name));
      return async () => {
        end();
        await ended;
      };
    },
    newer: async (accountId: string, name: string) => {
      await whenLookedUp(accountId);
      done.push(name);
    },
  };
}

describe('older events that are looked up', () => {
  it('go before the newer events of their account, and let those of other accounts pass', async () => {
    const { done, older, newer } = eventsOf(createOlderFirst());
    const [endFirst, endSecond] = [older('a', 'first'), older('a', 'second')];
    const newest = newer('a', 'newer');
    await newer('b', 'of another account');
    await endSecond();
    await endFirst();
    await newest;
    await newer('a', 'newest');

    expect(done).to.deep.equal(['of another account', 'second', 'first', 'newer', 'newest']);
  });

  it('let newer events pass if the look-ups take too long, because the projections may be stopped', async () => {
    const { done, older, newer } = eventsOf(createOlderFirst(1));
    const end = older('a', 'older');
    await newer('a', 'newer');
    await end();

    expect(done).to.deep.equal(['newer', 'older']);
  });

  it('let newer events pass after a look-up that has failed', async () => {
    const { lookUp, whenLookedUp } = createOlderFirst();
    const error = new Error('the model is behind');
    const failed: unknown = await lookUp('a', () => Promise.reject(error)).catch((thrown: unknown) => thrown);
    await whenLookedUp('a');

    expect(failed).to.equal(error);
  });
});
