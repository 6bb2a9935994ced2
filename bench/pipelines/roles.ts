import { startChild, type ChildProcess } from '../processes/childProcess.js';
import type { PipelineName, PipelineOptions, RunningPipeline } from './pipeline.js';

/** The roles of all pipelines, each in its own process, as in production. The consumers start before the API. */
const roles = ['projections', 'delivery', 'api'];

interface RoleOptions {
  readonly pipeline: PipelineName;
  /** The file that Node runs. */
  readonly program: string;
  /** The arguments after the name of the role. */
  readonly args: readonly string[];
  /** Called with the address of the API when all roles run. Returns the headers of a request that posts an event. */
  readonly prepare: (apiAddress: string) => Promise<RunningPipeline['headers']>;
}

/**
 * Starts all roles.
 * @throws the first error, after it has stopped the processes that it had started
 */
export async function startRoles(
  { environment, nodeOptions, host }: PipelineOptions,
  { pipeline, program, args, prepare }: RoleOptions,
): Promise<RunningPipeline> {
  const processes = new Map<string, ChildProcess>();
  const everStarted: ChildProcess[] = [];
  const crashes = createCrashSignal();

  const startRole = async (role: string) => {
    const child = await startChild(
      {
        name: `${pipeline}-${role}`,
        program,
        args: [role, ...args],
        nodeOptions,
        // A restarted process keeps its port, because its clients keep its address.
        environment: { ...environment, PORT: portOf(processes.get(role)) },
      },
      host,
    );
    crashes.watch(child);
    processes.set(role, child);
    everStarted.push(child);
  };
  const stop = async () => {
    for (const child of [...processes.values()].reverse()) {
      await child.stop();
    }
  };
  try {
    for (const role of roles) {
      await startRole(role);
    }
    const address = processes.get('api')?.address ?? '';
    return {
      eventsUrl: `${address}/v1/events`,
      headers: await prepare(address),
      processes,
      cpuMs: async () => {
        const used = await Promise.all(everStarted.map((child) => child.cpuMs()));
        return used.reduce((sum, ms) => sum + ms, 0);
      },
      restart: startRole,
      crashed: crashes.any,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
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
