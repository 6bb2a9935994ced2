import fc from 'fast-check';

import { describeSchedule, runSchedule, schedules, worldOf, type Schedule } from './schedule.js';
import { installVirtualTime, type Timers } from './virtualTime.js';
import type { Variant, World } from './world.js';

export interface CheckSettings {
  readonly runs: number;
  readonly seed: number;
  /** Whether a schedule that breaks a promise is shortened: that takes much longer than to find it. */
  readonly isShortened: boolean;
}

/** What was found: null if all schedules keep the promises. */
export type Finding = null | {
  /** Which of the schedules, from 1, was the first one to break a promise. */
  readonly run: number;
  /** The shortest schedule that was found to break it, and how to run it again. */
  readonly text: string;
};

/** Runs random schedules until one of them breaks a promise, and then shortens that one. */
export async function findBrokenPromise(
  { runs, seed, isShortened }: CheckSettings,
  variant: Variant = {},
): Promise<Finding> {
  const present: { world: World | null } = { world: null };
  const none: Timers = { now: () => 0, after: () => () => undefined };
  const restoreTime = installVirtualTime(() => present.world?.steps ?? none);
  const run = (schedule: Schedule) => {
    present.world = worldOf(schedule, variant);
    return runSchedule(schedule, present.world);
  };
  try {
    const property = fc.asyncProperty(schedules, async (schedule) => {
      const broken = await run(schedule);
      if (broken !== null) {
        throw new Error(broken);
      }
    });
    const { failed, numRuns, counterexample, counterexamplePath } = await fc.check(property, {
      numRuns: runs,
      endOnFailure: !isShortened,
      seed,
    });
    if (!failed || counterexample === null) {
      return null;
    }
    const [schedule] = counterexample;
    const broken = (await run(schedule)) ?? 'the schedule breaks no promise when it is run again';
    const repeat = `seed ${seed}, path ${counterexamplePath ?? ''}`;
    const history = present.world?.promises.history() ?? [];
    return { run: numRuns, text: [broken, describeSchedule(schedule), repeat, ...history].join('\n') };
  } finally {
    restoreTime();
    present.world = null;
  }
}
