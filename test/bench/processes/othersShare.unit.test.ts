import { cpus } from 'node:os';
import process from 'node:process';

import { expect } from 'chai';

import { machineCpuMsOf, otherCpuMsOf, watchOthers } from '../../../bench/processes/othersShare.js';
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

/** A line of /proc/PID/stat. The times are in ticks: its own in user and kernel mode, and those of its ended children. */
const statOf = (pid: number, parent: number, times: readonly [number, number, number, number]) =>
  `${pid} (any (name) x) S ${parent} 1 1 0 -1 4194560 9 0 1 0 ${times.join(' ')} 20 0 11 0 10350 1 1`;

describe('the CPU time of other programs', () => {
  it('is the time of all processors in user and kernel mode, and the stolen time', () => {
    expect(machineCpuMsOf('cpu  100 20 30 9000 50 7 8 4 0 0\ncpu0 50 10 15 4500 25 3 4 2 0 0\n')).to.equal(
      1540,
    );
  });

  it('is that of other processes and their ended children, without the threads of the kernel', () => {
    const stats = [
      statOf(10, 1, [1, 2, 4, 8]),
      statOf(11, 1, [100, 100, 100, 100]),
      statOf(2, 0, [100, 100, 0, 0]),
      statOf(30, 2, [100, 100, 0, 0]),
      '',
    ];
    expect(otherCpuMsOf(stats, new Set([11]))).to.equal(150);
  });

  it('does not include the work of own processes', async () => {
    const own = async () => ({
      pids: new Set([process.pid]),
      cpuMs: (await readUsage(process.pid)).cpuMs,
    });
    const none = () => Promise.resolve({ pids: new Set<number>(), cpuMs: 0 });
    const [without, within] = await Promise.all([watchOthers(own), watchOthers(none)]);
    const ownShare = workFor(500);
    const difference = (await within()) - (await without());
    expect(difference).to.be.closeTo(ownShare, 0.1);
  });
});
