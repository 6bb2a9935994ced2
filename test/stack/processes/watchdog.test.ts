import { randomInt } from 'node:crypto';

import { expect } from 'chai';

import { hasCode } from '../../../stack/system/errors.js';
import { createWatchdog } from '../../../stack/processes/watchdog.js';
import { eventually } from '../../support/eventually.js';
import { type ListedProcess, processesWith, type Program, runProgram, whenNoneIsLeft } from '../processes.js';

describe('the watchdog', () => {
  /** The time that the guarded processes sleep, in seconds. The test finds the processes by this text. */
  let duration: string;
  const programs: Program[] = [];

  beforeEach(() => {
    duration = `${randomInt(100_000, 999_999)}.5`;
  });

  afterEach(async () => {
    for (const { child } of programs.splice(0)) {
      child.kill('SIGKILL');
    }
    for (const { group } of await processesWith(duration)) {
      killGroup(group);
    }
  });

  async function guard(...fates: readonly string[]): Promise<Program> {
    const program = runProgram('guardProgram.ts', duration, ...fates);
    programs.push(program);
    await program.nextLine();
    return program;
  }

  const sleeps = async () =>
    (await processesWith(`sleep ${duration}`)).filter(({ command }) => command.startsWith('sleep'));
  const watchdogOf = async ({ pid }: { pid: number }): Promise<ListedProcess> =>
    eventually('the watchdog', async () => {
      const watchdogs = await processesWith('postrider-watchdog');
      return watchdogs.find(({ parent }) => parent === pid) ?? null;
    });

  it('ends its guarded processes when its parent is killed, also a paused one, and no released process', async () => {
    const program = await guard('released', 'guarded', 'guarded');
    const watchdog = await watchdogOf(program);
    const [, paused] = await eventually('the guarded processes', async () => {
      const found = await sleeps();
      return found.length === 3 ? found.toSorted((one, other) => one.pid - other.pid) : null;
    });
    // A signal to the pid 0 would stop the tests.
    process.kill(paused?.pid ?? NaN, 'SIGSTOP');
    // It is in its own process group, which Ctrl-C does not reach, and ignores the signals that end other programs.
    expect(watchdog.group).to.not.equal(program.pid);
    for (const signal of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const) {
      process.kill(watchdog.pid, signal);
    }

    program.child.kill('SIGKILL');
    await whenProcessEnds(watchdog.pid);

    expect(await sleeps()).to.have.length(1);
  });

  it('kills a guarded process that ignores SIGTERM', async () => {
    const program = await guard('stubborn');

    program.child.kill('SIGKILL');

    await whenNoneIsLeft(duration);
  });

  it('ends when it is closed', async () => {
    const before = new Set((await processesWith('postrider-watchdog')).map(({ pid }) => pid));
    const watchdog = createWatchdog();
    const own = await eventually('the start of the watchdog', async () => {
      const now = await processesWith('postrider-watchdog');
      return now.find(({ pid, parent }) => parent === process.pid && !before.has(pid)) ?? null;
    });

    watchdog.close();

    await whenProcessEnds(own.pid);
  });
});

/** A watchdog may have ended the group since it was listed. */
function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) {
      throw error;
    }
  }
}

async function whenProcessEnds(pid: number): Promise<void> {
  await eventually(`the end of process ${pid}`, async () =>
    (await processesWith('')).some((listed) => listed.pid === pid) ? null : true,
  );
}
