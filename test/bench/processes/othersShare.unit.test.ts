import { expect } from 'chai';

import { machineCpuMsOf, otherCpuMsOf } from '../../../bench/processes/othersShare.js';

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
});
