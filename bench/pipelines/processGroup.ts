import type { ChildProcess } from '../processes/childProcess.js';

/** Processes that are started one after the other and stopped together, last first. */
export interface ProcessGroup {
  readonly add: (starting: Promise<ChildProcess>) => Promise<ChildProcess>;
  readonly processes: readonly ChildProcess[];
  readonly stop: () => Promise<void>;
}

export function createProcessGroup(): ProcessGroup {
  const processes: ChildProcess[] = [];
  return {
    processes,
    add: async (starting) => {
      const child = await starting;
      processes.push(child);
      return child;
    },
    stop: async () => {
      for (const child of processes.toReversed()) {
        await child.stop();
      }
    },
  };
}

/** What `start` gives; where it fails, the group is stopped first. */
export async function startWhole<Result>(group: ProcessGroup, start: () => Promise<Result>): Promise<Result> {
  try {
    return await start();
  } catch (error) {
    await group.stop();
    throw error;
  }
}
