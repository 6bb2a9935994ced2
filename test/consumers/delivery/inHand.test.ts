import { expect } from 'chai';

import { createInHand } from '../../../consumers/delivery/inHand.js';

const done = () => Promise.resolve('done');

describe('what a process has in hand', () => {
  it('is not begun a second time while it is under way', async () => {
    const { once } = createInHand(10);
    const first = once('key', () => new Promise<string>((resolve) => setImmediate(resolve, 'done')));
    expect([await once('key', done), await first]).to.deep.equal(['known', 'done']);
  });

  it('is not begun again once it is done', async () => {
    const { once } = createInHand(10);
    await once('key', done);
    expect(await once('key', done)).to.equal('known');
  });

  for (const result of ['abandoned', 'deferred']) {
    it(`may be begun again where it was ${result}`, async () => {
      const { once } = createInHand(10);
      await once('key', () => Promise.resolve(result));
      expect(await once('key', done)).to.equal('done');
    });
  }

  it('may be begun again where it has failed', async () => {
    const { once } = createInHand(10);
    await once('key', () => Promise.reject(new Error('a server is away'))).catch(() => null);
    expect(await once('key', done)).to.equal('done');
  });

  it('forgets the oldest first', async () => {
    const { once } = createInHand(2);
    for (const key of ['first', 'second', 'third']) {
      await once(key, done);
    }
    expect([await once('third', done), await once('second', done), await once('first', done)]).to.deep.equal([
      'known',
      'known',
      'done',
    ]);
  });
});
