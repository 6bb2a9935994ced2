import { expect } from 'chai';

import { createReadiness, type ReadinessCheck } from '../../../shared/runtime/readiness.js';

/** The default timeout of a probe in Kubernetes. */
const probeTimeoutMs = 1000;

const met: ReadinessCheck = { name: 'mongodb', check: () => Promise.resolve(null) };
const unmet: ReadinessCheck = { name: 'model events', check: () => Promise.resolve('being built') };
const failing: ReadinessCheck = { name: 'kafka', check: () => Promise.reject(new Error('refused')) };

function hanging() {
  const state = { calls: 0 };
  const check: ReadinessCheck = {
    name: 'kafka',
    check: () => {
      state.calls += 1;
      return new Promise<never>(() => undefined);
    },
  };
  return { state, check };
}

describe('shared/readiness', () => {
  it('is not there before the role has begun to work', async () => {
    expect(await createReadiness().read()).to.deep.equal({ ready: false, checks: { running: 'starting' } });
  });

  it('is there if every required check is met', async () => {
    const readiness = createReadiness();
    readiness.begin({ required: [met] });
    expect(await readiness.read()).to.deep.equal({ ready: true, checks: { mongodb: 'ok', running: 'ok' } });
  });

  it('is not there if a required check is not met or fails, and names what is missing', async () => {
    const readiness = createReadiness();
    readiness.begin({ required: [met, unmet, failing] });
    expect(await readiness.read()).to.deep.equal({
      ready: false,
      checks: { mongodb: 'ok', 'model events': 'being built', kafka: 'not reached', running: 'ok' },
    });
  });

  it('shows an informative check, and does not depend on it', async () => {
    const readiness = createReadiness();
    readiness.begin({ required: [met], informative: [failing] });
    expect(await readiness.read()).to.deep.equal({
      ready: true,
      checks: { mongodb: 'ok', kafka: 'not reached', running: 'ok' },
    });
  });

  for (const kind of ['required', 'informative'] as const) {
    it(`is known before a probe times out while a check hangs that is ${kind}`, async () => {
      const readiness = createReadiness();
      readiness.begin({ required: [met], [kind]: [hanging().check] });
      const startedAt = performance.now();
      const { checks } = await readiness.read();
      expect(checks['kafka']).to.equal('no answer in time');
      expect(performance.now() - startedAt).to.be.lessThan(probeTimeoutMs);
    });
  }

  it('asks once, however often it is read while a check hangs', async () => {
    const readiness = createReadiness();
    const { state, check } = hanging();
    readiness.begin({ required: [check] });
    await Promise.all(Array.from({ length: 100 }, () => readiness.read()));
    await readiness.read();
    expect(state.calls).to.equal(1);
  });

  it('ends at once when the process stops, for good, even while a check hangs', async () => {
    const readiness = createReadiness();
    readiness.begin({ required: [hanging().check] });
    const earlier = readiness.read();
    readiness.stop();
    const stopping = { ready: false, checks: { running: 'stopping' } };
    const first = await Promise.race([readiness.read(), earlier]);
    expect([first, (await earlier).ready, await readiness.read()]).to.deep.equal([stopping, false, stopping]);
  });
});
