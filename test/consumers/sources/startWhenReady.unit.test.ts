import { expect } from 'chai';

import { startWhenReadable } from '../../../consumers/sources/startWhenReady.js';
import { eventually } from '../../support/eventually.js';

/** Groups that count their starts, and models that become readable when the test says so. */
function groups({ isReadable = true, failure }: { isReadable?: boolean; failure?: Error } = {}) {
  const state = { isReadable, started: 0, looked: 0, lost: [] as Error[] };
  const begin = () =>
    startWhenReadable({
      isReadable: () => {
        state.looked += 1;
        return Promise.resolve(state.isReadable);
      },
      start: () => {
        state.started += 1;
        return failure === undefined ? Promise.resolve() : Promise.reject(failure);
      },
      onFatal: (error) => state.lost.push(error),
      logger: { warn: () => undefined },
      checkIntervalMs: 5,
    });
  return { state, begin };
}

describe('the deferred start', () => {
  it('starts the groups at once if the models are readable', async () => {
    const { state, begin } = groups();
    const { check } = await begin();

    expect([state.started, await check.check()]).to.deep.equal([1, null]);
  });

  it('leaves the partitions to other processes, with a log line, while the models have another version', async () => {
    const { state, begin } = groups({ isReadable: false });
    const { check, stop } = await begin();
    const missing = await check.check();
    await stop();

    expect([state.started, missing]).to.deep.equal([0, 'the process waits for read models of its version']);
  });

  it('starts the groups after a rebuild', async () => {
    const { state, begin } = groups({ isReadable: false });
    const { check, stop } = await begin();
    state.isReadable = true;
    await eventually('the beginning', async () => ((await check.check()) === null ? true : null));
    await stop();

    expect(state.started).to.equal(1);
  });

  it('starts nothing after a stop', async () => {
    const { state, begin } = groups({ isReadable: false });
    const { stop } = await begin();
    await stop();
    state.isReadable = true;

    expect([state.looked, state.started]).to.deep.equal([1, 0]);
  });

  it('fails if an immediate start fails', async () => {
    const { begin } = groups({ failure: new Error('no brokers') });

    expect(await begin().catch(String)).to.equal('Error: no brokers');
  });

  it('reports a fatal error if a later start fails', async () => {
    const { state, begin } = groups({ isReadable: false, failure: new Error('no brokers') });
    await begin();
    state.isReadable = true;
    await eventually('the loss', () => (state.lost.length > 0 ? true : null));

    expect(state.lost.map(String)).to.deep.equal(['Error: no brokers']);
  });
});
