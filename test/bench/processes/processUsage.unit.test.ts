import process from 'node:process';

import { expect } from 'chai';

import { cpuMsOf, memoryOf, readUsage } from '../../../bench/processes/processUsage.js';

const stat =
  '4711 (node (a) b) S 1 4711 4711 0 -1 4194560 9000 0 12 0 250 75 3 4 20 0 11 0 10350 1099743232 12000 18446744073709551615';
const status = 'VmPeak:\t  900000 kB\nVmHWM:\t   98765 kB\nVmRSS:\t   80000 kB\n';

describe('the resource usage of a process', () => {
  it('contains its own user and system time, whatever its name contains', () => {
    expect(cpuMsOf(stat)).to.equal(3250);
  });

  it('contains its peak memory', () => {
    expect(memoryOf(status, 'VmHWM')).to.equal(98_765 * 1024);
  });

  it('contains its present memory', () => {
    expect(memoryOf(status, 'VmRSS')).to.equal(80_000 * 1024);
  });

  it('is close to the usage that Node shows for its process', async () => {
    const { user, system } = process.cpuUsage();
    const { cpuMs } = await readUsage(process.pid);
    expect(cpuMs).to.be.closeTo((user + system) / 1000, 100);
  });
});
