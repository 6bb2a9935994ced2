import type { ChildProcess } from '../processes/childProcess.js';
import type { RunningPipeline } from './pipeline.js';

/** Both pipelines have the same roles, each in a process of its own. Readers are there before the writer. */
const roles = ['projections', 'delivery', 'api'] as const;

export type Role = (typeof roles)[number];

/**
 * Starts all roles, then does what `prepare` says with the address of the API.
 * @param prepare gives the headers of a request that posts an event
 * @throws whatever went wrong, after it has stopped what it had started
 */
export async function startRoles(
  startRole: (role: Role) => Promise<ChildProcess>,
  prepare: (apiAddress: string) => Promise<RunningPipeline['headers']>,
): Promise<RunningPipeline> {
  const processes = new Map<Role, ChildProcess>();
  const stop = async () => {
    for (const child of [...processes.values()].reverse()) {
      await child.stop();
    }
  };
  try {
    for (const role of roles) {
      processes.set(role, await startRole(role));
    }
    const address = processes.get('api')?.address ?? '';
    return { eventsUrl: `${address}/v1/events`, headers: await prepare(address), processes, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
