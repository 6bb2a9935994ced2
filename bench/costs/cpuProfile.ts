import { z } from 'zod';

/** A CPU profile of V8, as `node --cpu-prof` writes it. Times are in microseconds of the monotonic clock. */
export const cpuProfileSchema = z.object({
  nodes: z.array(
    z.object({
      id: z.int(),
      callFrame: z.object({ functionName: z.string(), url: z.string() }),
      children: z.array(z.int()).optional(),
    }),
  ),
  startTime: z.number(),
  /** The node of each sample. */
  samples: z.array(z.int()),
  /** The time between each sample and the one before. */
  timeDeltas: z.array(z.number()),
});

export type CpuProfile = z.infer<typeof cpuProfileSchema>;

export interface Frame {
  readonly name: string;
  /** The file, relative to the build or to node_modules; `node:…` for the modules of Node, and empty for native code. */
  readonly location: string;
}

/** The time of a call stack. */
export interface Stack {
  /** From the outermost function to the running one. */
  readonly frames: readonly Frame[];
  readonly ms: number;
}

export interface Period {
  /** In milliseconds of the monotonic clock. */
  readonly from: number;
  readonly to: number;
}

const root = '(root)';
const idle = '(idle)';

/** The times of all stacks in a period, without the time in which the process waited for work. */
export function stacksIn(profile: CpuProfile, period: Period): readonly Stack[] {
  const framesOf = createFramesOf(profile);
  return [...timeByNode(profile, period)]
    .map(([node, ms]) => ({ frames: framesOf(node), ms }))
    .filter(({ frames }) => frames.length > 0 && frames.at(-1)?.name !== idle);
}

/** A sample lasts until the next one. */
function timeByNode({ samples, timeDeltas, startTime }: CpuProfile, { from, to }: Period) {
  const times = new Map<number, number>();
  let at = startTime / 1000;
  samples.forEach((node, index) => {
    at += (timeDeltas[index] ?? 0) / 1000;
    const end = at + (timeDeltas[index + 1] ?? 0) / 1000;
    const ms = Math.min(end, to) - Math.max(at, from);
    if (ms > 0) {
      times.set(node, (times.get(node) ?? 0) + ms);
    }
  });
  return times;
}

function createFramesOf({ nodes }: CpuProfile): (id: number) => readonly Frame[] {
  const nodeOf = new Map(nodes.map((node) => [node.id, node]));
  const parentOf = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  return (id) => {
    const frames: Frame[] = [];
    for (let next: number | undefined = id; next !== undefined; next = parentOf.get(next)) {
      const { functionName = '', url = '' } = nodeOf.get(next)?.callFrame ?? {};
      if (functionName !== root) {
        frames.unshift({
          name: functionName === '' ? '(anonymous)' : functionName,
          location: locationOf(url),
        });
      }
    }
    return frames;
  };
}

function locationOf(url: string): string {
  return url.replace(/^.*\/node_modules\//, '').replace(/^file:\/\/.*\/dist\//, '');
}
