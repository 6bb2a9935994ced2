import type { ChildProcess } from '../processes/childProcess.js';
import type { PipelineOptions, RunningPipeline } from './pipeline.js';

/** The roles of both pipelines, each in its own process. The consumers start before the API. */
const roles = ['projections', 'delivery', 'api'] as const;

export type ProcessRole = (typeof roles)[number];

export interface RoleStart {
  readonly role: ProcessRole;
  /** The name of the process in the report and of its log file: `delivery`, `delivery-2`. */
  readonly name: string;
  /** Settings of this role alone. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface RoleOptions {
  readonly startRole: (start: RoleStart) => Promise<ChildProcess>;
  /** Called with the address of the API when all roles run. Returns the headers of a request that posts an event. */
  readonly prepare: (apiAddress: string) => Promise<RunningPipeline['headers']>;
}

/**
 * Starts all roles.
 * @throws the first error, after it has stopped the processes that it had started
 */
export async function startRoles(
  { deliveryProcesses }: Pick<PipelineOptions, 'deliveryProcesses'>,
  { startRole, prepare }: RoleOptions,
): Promise<RunningPipeline> {
  const members = membersOf(deliveryProcesses);
  const processes = new Map<string, ChildProcess>();
  const everStarted: ChildProcess[] = [];
  const crashes = createCrashSignal();

  const startProcess = async (name: string) => {
    const role = members.get(name);
    if (role === undefined) {
      throw new Error(`There is no process "${name}"`);
    }
    // A restarted process keeps its port, because its clients keep its address.
    const environment = { PORT: portOf(processes.get(name)) };
    const child = await startRole({ role, name, environment });
    crashes.watch(child);
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
      await startProcess(name);
    }
    const address = processes.get('api')?.address ?? '';
    const headers = await prepare(address);
    return {
      eventsUrl: `${address}/v1/events`,
      headers,
      processes,
      cpuMs,
      restart: startProcess,
      crashed: crashes.any,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Roles by the names of their processes, in the order in which they are started. */
function membersOf(deliveryProcesses: number): ReadonlyMap<string, ProcessRole> {
  const members = roles.flatMap((role) =>
    Array.from({ length: role === 'delivery' ? deliveryProcesses : 1 }, (_, index) => ({
      role,
      name: index === 0 ? role : `${role}-${index + 1}`,
    })),
  );
  return new Map(members.map(({ name, role }) => [name, role]));
}

/** The port of the process; 0, which is any free port, if it has none. */
function portOf(child: ChildProcess | undefined): string {
  const address = child?.address ?? '';
  return address === '' ? '0' : new URL(address).port;
}

/** One promise for the crash of any process, also of those that are started later. */
function createCrashSignal() {
  let onCrash: (error: unknown) => void = () => undefined;
  const any = new Promise<never>((_, reject) => {
    onCrash = reject;
  });
  any.catch(() => undefined);
  return {
    any,
    watch: ({ crashed }: ChildProcess) => {
      crashed.catch(onCrash);
    },
  };
}
