import { expect } from 'chai';

import { createReadiness, type ReadinessCheck } from '../../../shared/runtime/readiness.js';

const passing: ReadinessCheck = { name: 'mongodb', check: () => Promise.resolve(null) };
const waiting: ReadinessCheck = { name: 'model events', check: () => Promise.resolve('being built') };
const failing: ReadinessCheck = {
  name: 'kafka',
  check: () => Promise.reject(new Error('connection refused')),
};

const short = { requiredMs: 30, informativeMs: 10 };

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

describe('the readiness of a role', () => {
  it('is false before the role has started', async () => {
    expect(await createReadiness().read()).to.deep.equal({ ready: false, checks: { running: 'starting' } });
  });

  it('is true if every required check passes', async () => {
    const readiness = createReadiness();
    readiness.begin({ required: [passing] });
    expect(await readiness.read()).to.deep.equal({ ready: true, checks: { mongodb: 'ok', running: 'ok' } });
  });

  it('is false if a required check does not pass, and the report names that check', async () => {
    const readiness = createReadiness();
    readiness.begin({ required: [passing, waiting, failing] });
    expect(await readiness.read()).to.deep.equal({
      ready: false,
      checks: { mongodb: 'ok', 'model events': 'being built', kafka: 'not reached', running: 'ok' },
    });
  });

  it('does not depend on an informative check, which the report shows', async () => {
    const readiness = createReadiness();
    readiness.begin({ required: [passing], informative: [failing] });
    expect(await readiness.read()).to.deep.equal({
      ready: true,
      checks: { mongodb: 'ok', kafka: 'not reached', running: 'ok' },
    });
  });

  for (const kind of ['required', 'informative'] as const) {
    it(`is reported while a check that is ${kind} hangs`, async () => {
      const readiness = createReadiness(short);
      readiness.begin({ required: [passing], [kind]: [hanging().check] });
      const { checks } = await readiness.read();
      expect(checks['kafka']).to.equal('no response in time');
    });
  }

  it('calls a check that hangs once, however often it is read', async () => {
    const readiness = createReadiness(short);
    const { state, check } = hanging();
    readiness.begin({ required: [check] });
    await Promise.all(Array.from({ length: 100 }, () => readiness.read()));
    await readiness.read();
    expect(state.calls).to.equal(1);
  });

  it('is false permanently once the process stops, even while a check hangs', async () => {
    const readiness = createReadiness(short);
    readiness.begin({ required: [hanging().check] });
    const earlier = readiness.read();
    readiness.stop();
    const stopping = { ready: false, checks: { running: 'stopping' } };
    const first = await Promise.race([readiness.read(), earlier]);
    expect([first, (await earlier).ready, await readiness.read()]).to.deep.equal([stopping, false, stopping]);
  });
});
