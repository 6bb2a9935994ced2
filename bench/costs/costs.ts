import type { ProcessRole } from '../pipelines/roles.js';
import type { Figure } from '../results/result.js';
import type { Stack } from './cpuProfile.js';
import { stageOf, stages } from './stages.js';

/** The CPU time of the threads of a process in a period, in milliseconds. */
export interface ThreadTimes {
  /** The thread that runs JavaScript. */
  readonly main: number;
  /** The threads of V8 and libuv, without the profiler's. */
  readonly others: number;
}

export interface RoleProfile {
  readonly role: ProcessRole;
  readonly stacks: readonly Stack[];
  readonly threads: ThreadTimes;
  /** The CPU time of the whole process, without the profiler's thread. */
  readonly processMs: number;
}

const costNames = {
  stages: 'all stages together / CPU of the processes',
  otherThreads: 'threads of V8 and libuv',
} as const;

/**
 * The profiler measures how long a stack was on top, which includes the time in which the thread waited for a core. The scheduler's time
 * of the main thread has no such error, so it is split by the shares of the stacks.
 */
export function scaledStacks({ stacks, threads }: RoleProfile, events: number): readonly Stack[] {
  const profiled = total(stacks.map(({ ms }) => ms));
  const factor = profiled === 0 ? 0 : threads.main / profiled / events;
  return stacks.map(({ frames, ms }) => ({ frames, ms: ms * factor }));
}

/** The CPU time per event by role and stage, and how well the stages add up. */
export function costFigures(roles: readonly RoleProfile[], events: number): readonly Figure[] {
  const ofRoles = roles.map((profile) => figuresOfRole(profile, events));
  const allStages = total(ofRoles.flatMap(({ parts }) => parts.map(({ value }) => value)));
  const measured = total(roles.map(({ processMs }) => processMs)) / events;
  return [
    ...ofRoles.flatMap(({ sum, parts }) => [sum, ...parts]),
    { name: 'CPU an event, own processes, by the system', unit: 'ms', value: measured },
    { name: costNames.stages, unit: '×', value: allStages / measured },
  ];
}

function figuresOfRole(profile: RoleProfile, events: number) {
  const { role, threads } = profile;
  const scaled = scaledStacks(profile, events);
  const inStage = (stage: string) =>
    total(scaled.filter((stack) => stageOf(role, stack) === stage).map(({ ms }) => ms));
  const figure = (name: string, value: number): Figure => ({ name, unit: 'ms', value });
  const parts = [
    ...stages.map((stage) => figure(`  ${role}: ${stage}`, inStage(stage))).filter(({ value }) => value > 0),
    figure(`  ${role}: ${costNames.otherThreads}`, threads.others / events),
  ];
  return { parts, sum: figure(`${role}: all stages`, total(parts.map(({ value }) => value))) };
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
