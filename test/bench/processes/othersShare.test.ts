import { cpus } from 'node:os';
import process from 'node:process';

import { expect } from 'chai';

import { machineCpuMsOf, watchOthers } from '../../../bench/processes/othersShare.js';
import { readUsage } from '../../../bench/processes/processUsage.js';

/** Works for this CPU time. Returns the share of all processors that it used, from 0 to 1. */
function workFor(milliseconds: number): number {
  const beganAt = performance.now();
  const before = process.cpuUsage();
  const usedMs = () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  while (usedMs() < milliseconds) {
    Math.sqrt(beganAt);
  }
  return usedMs() / ((performance.now() - beganAt) * cpus().length);
}

describe('the CPU share of other programs', () => {
  it('includes all work of all processors except interrupts', () => {
    expect(machineCpuMsOf('cpu  100 20 30 9000 50 7 8 4 0 0\ncpu0 50 10 15 4500 25 3 4 2 0 0\n')).to.equal(
      1540,
    );
  });

  it('excludes the work of the watched processes', async () => {
    const own = async () => (await readUsage(process.pid)).cpuMs;
    const [without, within] = await Promise.all([watchOthers(own), watchOthers(() => Promise.resolve(0))]);
    const ownShare = workFor(500);
    const difference = (await within()) - (await without());
    expect(difference).to.be.closeTo(ownShare, 0.1);
  });
});
