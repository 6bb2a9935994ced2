import { expect } from 'chai';

import { createFreshReads } from '../../../consumers/lookups/freshReads.js';

describe('a fresh read', () => {
  it('is as old as its request to the database, without the turn in which it was requested', async () => {
    const clock = { ms: 0 };
    const { read } = createFreshReads<string, string>(
      () => {
        clock.ms += 20;
        return Promise.resolve((key) => `value of ${key}`);
      },
      () => clock.ms,
    );
    const reading = read('a', 'a', { notBefore: 0 });
    clock.ms += 300;
    expect(await reading).to.deep.equal({ readAt: 300, value: 'value of a' });
  });
});
