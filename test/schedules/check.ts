import fc from 'fast-check';

import { describeSchedule, runSchedule, schedules, worldOf, type Schedule } from './schedule.js';
import { installVirtualTime, type Timers } from './virtualTime.js';
import type { Variant, World } from './world.js';

export interface CheckSettings {
  readonly runs: number;
  readonly seed: number;
  /** Whether a schedule that breaks a promise is shortened, which takes much longer than to find it. */
  readonly isShortened: boolean;
}

/** The broken promise, or null if all schedules keep the promises. */
export type Finding = null | {
  /** The number of the first schedule that broke a promise, from 1. */
  readonly run: number;
  /** The shortest schedule that breaks it, and the command to repeat that schedule. */
  readonly text: string;
};

/** Runs random schedules until one of them breaks a promise, and then shortens this schedule. */
export async function findBrokenPromise(
  { runs, seed, isShortened }: CheckSettings,
  variant: Variant = {},
): Promise<Finding> {
  const present: { world: World | null } = { world: null };
  const none: Timers = { now: () => 0, after: () => () => undefined };
  const restoreTime = installVirtualTime(() => present.world?.steps ?? none);
  const run = async (schedule: Schedule) => {
    const world = worldOf(schedule, variant);
    present.world = world;
    return { broken: await runSchedule(schedule, world), history: world.promises.history };
  };
  try {
    const property = fc.asyncProperty(schedules, async (schedule) => {
      const { broken } = await run(schedule);
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
    const { broken, history } = await run(schedule);
    const found = broken ?? 'the schedule breaks no promise when it is run again';
    const repeat = `seed ${seed}, path ${counterexamplePath}`;
    return { run: numRuns, text: [found, describeSchedule(schedule), repeat, ...history()].join('\n') };
  } finally {
    restoreTime();
    present.world = null;
  }
}
