import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { costFigures, scaledStacks, type RoleProfile } from '../costs/costs.js';
import { cpuProfileSchema, stacksIn, type CpuProfile, type Period } from '../costs/cpuProfile.js';
import { flameGraphOf } from '../costs/flameGraph.js';
import type { ChildProcess } from '../processes/childProcess.js';
import { monotonicMs } from '../processes/monotonicClock.js';
import { readUsage } from '../processes/processUsage.js';
import { readThreads, type ProcessThreads } from '../processes/threadTimes.js';
import type { ProcessRole } from '../pipelines/roles.js';
import type { Scenario, ScenarioContext } from './scenario.js';

const events = 20_000;
const quickEvents = 500;
const load = { loop: 'closed', connections: 50 } as const;
const roles: readonly ProcessRole[] = ['api', 'projections', 'delivery'];

interface RoleUsage extends ProcessThreads {
  readonly processMs: number;
}

/** The CPU time of an event by stage, from CPU profiles. A process writes its profile when it ends, so each block ends with a restart. */
export const costs: Scenario = {
  name: 'costs',
  description: `CPU time per event by stage, from CPU profiles of ${events.toLocaleString('en')} events as fast as they can be posted, after as many of the same`,
  webhooks: 1,
  pairs: 1,
  pipelines: ['service'],
  variants: [{ name: '', isProfiled: true }],
  measure: async (context) => {
    const count = context.quick ? quickEvents : events;
    await context.deliver(count, load);
    await context.untilDrained();
    const processes = roles.map((role) => processOf(context, role));
    const from = monotonicMs();
    const before = await Promise.all(processes.map(usageOf));
    await context.deliver(count, load);
    await context.untilDrained();
    const after = await Promise.all(processes.map(usageOf));
    const period = { from, to: monotonicMs() };
    await Promise.all(processes.map((child) => child.stop()));
    await Promise.all(roles.map((role) => context.pipeline.restart(role)));
    const profiles = await Promise.all(
      roles.map((role, index) =>
        profileOf(
          context,
          { role, period, pid: processes[index]?.pid ?? 0 },
          usedBetween(before[index], after[index]),
        ),
      ),
    );
    context.keepFlameGraph(
      flameGraphOf(profiles.map((profile) => ({ ...profile, stacks: scaledStacks(profile, count) }))),
    );
    return costFigures(profiles, count);
  },
};

function processOf({ pipeline }: ScenarioContext, role: ProcessRole): ChildProcess {
  const child = pipeline.processes.get(role);
  if (child === undefined) {
    throw new Error(`There is no process of the role ${role}`);
  }
  return child;
}

async function usageOf({ pid }: ChildProcess): Promise<RoleUsage> {
  const [threads, { cpuMs }] = await Promise.all([readThreads(pid), readUsage(pid)]);
  return { ...threads, processMs: cpuMs };
}

type Used = Pick<RoleProfile, 'threads' | 'processMs'>;

function usedBetween(before: RoleUsage | undefined, after: RoleUsage | undefined): Used {
  const used = (field: keyof RoleUsage) => (after?.[field] ?? 0) - (before?.[field] ?? 0);
  return {
    threads: { main: used('main'), others: used('others') },
    processMs: used('processMs') - used('profiler'),
  };
}

interface Profiled {
  readonly role: ProcessRole;
  readonly pid: number;
  readonly period: Period;
}

async function profileOf(
  { pipelineOptions }: ScenarioContext,
  { role, pid, period }: Profiled,
  used: Used,
): Promise<RoleProfile> {
  const profile = await readProfile(pipelineOptions.profileDirectory ?? '', pid);
  return { role, stacks: stacksIn(profile, period), ...used };
}

/** Node names a profile `CPU.date.time.pid.thread.number.cpuprofile`. */
async function readProfile(directory: string, pid: number): Promise<CpuProfile> {
  const file = (await readdir(directory)).find((name) => name.split('.')[3] === String(pid));
  if (file === undefined) {
    throw new Error(`The process ${pid} has written no CPU profile`);
  }
  return cpuProfileSchema.parse(JSON.parse(await readFile(join(directory, file), 'utf8')));
}
