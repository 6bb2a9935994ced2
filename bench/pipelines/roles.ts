import type { ChildProcess } from '../processes/childProcess.js';
import type { PipelineSite, RunningPipeline } from './pipeline.js';

/** Both pipelines have the same roles, each in a process of its own. Readers are there before the writer. */
const roles = ['projections', 'delivery', 'api'] as const;

export type Role = (typeof roles)[number];

export interface RoleStart {
  readonly role: Role;
  /** `delivery`, `delivery-2`: as the report and the log files call its process. */
  readonly name: string;
  /** Settings of its own. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface RoleStarts {
  readonly startRole: (start: RoleStart) => Promise<ChildProcess>;
  /** Called with the address of the API once all run; gives the headers of a request that posts an event. */
  readonly prepare: (apiAddress: string) => Promise<RunningPipeline['headers']>;
}

/**
 * Starts all roles, as many of each as the site says.
 * @throws whatever went wrong, after it has stopped what it had started
 */
export async function startRoles(
  { deliveryProcesses }: Pick<PipelineSite, 'deliveryProcesses'>,
  { startRole, prepare }: RoleStarts,
): Promise<RunningPipeline> {
  const members = membersOf(deliveryProcesses);
  const processes = new Map<string, ChildProcess>();
  const everStarted: ChildProcess[] = [];
  const losses = createLosses();

  const begin = async (name: string) => {
    const role = members.get(name);
    if (role === undefined) {
      throw new Error(`There is no process "${name}"`);
    }
    // It comes back where its clients look for it.
    const environment = { PORT: portOf(processes.get(name)) };
    const child = await startRole({ role, name, environment });
    losses.watch(child);
    processes.set(name, child);
    everStarted.push(child);
  };
  const cpuMs = async () => {
    const used = await Promise.all(everStarted.map((child) => child.cpuMs()));
    return used.reduce((sum, ms) => sum + ms, 0);
  };
  const stop = async () => {
    for (const child of [...processes.values()].reverse()) {
      await child.stop();
    }
  };
  try {
    for (const name of members.keys()) {
      await begin(name);
    }
    const address = processes.get('api')?.address ?? '';
    const headers = await prepare(address);
    return { eventsUrl: `${address}/v1/events`, headers, processes, cpuMs, begin, lost: losses.any, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Roles by the names of their processes, in the order in which they are started. */
function membersOf(deliveryProcesses: number): ReadonlyMap<string, Role> {
  const members = roles.flatMap((role) =>
    Array.from({ length: role === 'delivery' ? deliveryProcesses : 1 }, (_, index) => ({
      role,
      name: index === 0 ? role : `${role}-${index + 1}`,
    })),
  );
  return new Map(members.map(({ name, role }) => [name, role]));
}

/** That of the address; 0, which is any, where there is none. */
function portOf(child: ChildProcess | undefined): string {
  const address = child?.address ?? '';
  return address === '' ? '0' : new URL(address).port;
}

/** One promise for the loss of any process, whenever it was started. */
function createLosses() {
  let onLoss: (error: unknown) => void = () => undefined;
  const any = new Promise<never>((_, reject) => {
    onLoss = reject;
  });
  any.catch(() => undefined);
  return {
    any,
    watch: ({ lost }: ChildProcess) => {
      lost.catch(onLoss);
    },
  };
}
