import process from 'node:process';

import { expect } from 'chai';

import { readThreads } from '../../../bench/processes/threadTimes.js';
import { readUsage } from '../../../bench/processes/processUsage.js';

describe('the CPU times of the threads of a process', () => {
  it('add up to that of the process', async () => {
    // The time of the process includes threads that have ended, so only differences are equal.
    const measure = async () => {
      const { main, profiler, others } = await readThreads(process.pid);
      const { cpuMs } = await readUsage(process.pid);
      return { threads: main + profiler + others, cpuMs };
    };
    const before = await measure();
    const { user } = process.cpuUsage();
    while (process.cpuUsage().user - user < 200_000);
    const after = await measure();
    expect(after.threads - before.threads).to.be.closeTo(after.cpuMs - before.cpuMs, 100);
  });

  it('have the work of JavaScript in the main thread', async () => {
    const before = await readThreads(process.pid);
    const { user } = process.cpuUsage();
    while (process.cpuUsage().user - user < 200_000);
    const after = await readThreads(process.pid);
    expect(after.main - before.main).to.be.at.least(150);
  });
});
