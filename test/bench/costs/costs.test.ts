import { expect } from 'chai';

import { costFigures, scaledStacks, type RoleProfile } from '../../../bench/costs/costs.js';
import { flameGraphOf } from '../../../bench/costs/flameGraph.js';

const stackOf = (ms: number, ...locations: string[]) => ({
  ms,
  frames: locations.map((location) => ({ location, name: 'run' })),
});

const sign = 'shared/domain/webhooks/signature.js';
const exchange = 'consumers/http/exchange.js';

/** The profiler has seen 400 ms, of which the thread waited for a core for 200 ms. */
const delivery: RoleProfile = {
  role: 'delivery',
  stacks: [stackOf(300, exchange), stackOf(100, exchange, sign)],
  threads: { main: 200, others: 50 },
  processMs: 260,
};

const valuesOf = (profiles: readonly RoleProfile[]) =>
  Object.fromEntries(costFigures(profiles, 100).map(({ name, value }) => [name.trim(), value]));

describe('the costs of an event', () => {
  it('divide the CPU time of the main thread by the shares of the stages', () => {
    const values = valuesOf([delivery]);
    expect(values['delivery: HTTP']).to.be.closeTo(1.5, 1e-9);
    expect(values['delivery: sign']).to.be.closeTo(0.5, 1e-9);
  });

  it('have the other threads of each role', () => {
    expect(valuesOf([delivery])['delivery: threads of V8 and libuv']).to.equal(0.5);
  });

  it('are compared with the CPU time of the processes', () => {
    const values = valuesOf([delivery]);
    expect(values['CPU an event, own processes, by the system']).to.equal(2.6);
    expect(values['all stages together / CPU of the processes']).to.be.closeTo(250 / 260, 1e-9);
  });
});

describe('a flame graph', () => {
  const frames = flameGraphOf([{ role: 'delivery', stacks: scaledStacks(delivery, 100) }]);

  it('has the callees above their callers', () => {
    expect(frames.map(({ name, depth, stage }) => [name, depth, stage])).to.deep.equal([
      ['delivery', 0, 'other'],
      [`run http/exchange.js`, 1, 'HTTP'],
      [`run webhooks/signature.js`, 2, 'sign'],
    ]);
  });

  it('has the time of an event as its width', () => {
    expect(frames[0]?.ms).to.be.closeTo(2, 1e-9);
  });

  it('has each frame within its caller, next to the others', () => {
    const stacks = [stackOf(1, 'a', 'b'), stackOf(2, 'a', 'c'), stackOf(4, 'a'), stackOf(3, 'd')];
    const places = flameGraphOf([{ role: 'api', stacks }]).map(({ name, from, ms }) => [name, from, ms]);
    expect(places).to.deep.equal([
      ['api', 0, 10],
      ['run a', 0, 7],
      ['run b', 0, 1],
      ['run c', 1, 2],
      ['run d', 7, 3],
    ]);
  });

  it('leaves out frames that are too narrow to see', () => {
    const stacks = [stackOf(1000, 'a'), stackOf(1, 'b')];
    expect(flameGraphOf([{ role: 'api', stacks }]).map(({ name }) => name)).to.deep.equal(['api', 'run a']);
  });
});
