import { expect } from 'chai';
import fc from 'fast-check';

import { stacksIn, type CpuProfile } from '../../../bench/costs/cpuProfile.js';

const frame = (functionName: string, url = '') => ({ functionName, url });

const nodes: CpuProfile['nodes'] = [
  { id: 1, callFrame: frame('(root)'), children: [2, 3] },
  { id: 2, callFrame: frame('(idle)') },
  { id: 3, callFrame: frame('handle', 'file:///any/folder/dist/api/server.js'), children: [4] },
  { id: 4, callFrame: frame('', 'file:///any/node_modules/koa/lib/request.js') },
];

/** Samples of 1 ms each. The profile begins at 1 s of the monotonic clock. */
const profileOf = (samples: number[]): CpuProfile => ({
  nodes,
  samples,
  startTime: 1_000_000,
  timeDeltas: samples.map(() => 1000),
});

const whole = { from: 0, to: Infinity };

describe('the stacks of a CPU profile', () => {
  it('have their frames from the outermost function on, with the places of the files', () => {
    expect(stacksIn(profileOf([4, 2]), whole)).to.deep.equal([
      {
        frames: [
          { name: 'handle', location: 'api/server.js' },
          { name: '(anonymous)', location: 'koa/lib/request.js' },
        ],
        ms: 1,
      },
    ]);
  });

  it('do not include the time without work', () => {
    expect(stacksIn(profileOf([2, 2, 2, 2]), whole)).to.deep.equal([]);
  });

  it('last until the next sample', () => {
    const profile = { ...profileOf([3, 4, 2]), timeDeltas: [1000, 5000, 7000] };
    expect(stacksIn(profile, whole).map(({ ms }) => ms)).to.deep.equal([5, 7]);
  });

  it('are those of the period', () => {
    // The samples begin at 1001, 1002, … ms.
    const stacks = stacksIn(profileOf([3, 3, 3, 3, 3]), { from: 1002.5, to: 1004 });
    expect(stacks.map(({ ms }) => ms)).to.deep.equal([1.5]);
  });

  it('of adjacent periods have the time of the whole', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(2, 3, 4), { maxLength: 30 }),
        fc.integer({ min: 990, max: 1040 }),
        (samples, border) => {
          const profile = profileOf(samples);
          const msIn = (from: number, to: number) =>
            stacksIn(profile, { from, to }).reduce((sum, { ms }) => sum + ms, 0);
          expect(msIn(0, border) + msIn(border, Infinity)).to.be.closeTo(msIn(0, Infinity), 1e-6);
        },
      ),
    );
  });
});
