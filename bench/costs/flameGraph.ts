import type { ProcessRole } from '../pipelines/roles.js';
import type { FlameFrame } from '../results/result.js';
import type { Frame, Stack } from './cpuProfile.js';
import { stageOf } from './stages.js';

/** The stacks of one role. Their times add up to the CPU time of its main thread per event. */
export interface RoleStacks {
  readonly role: ProcessRole;
  readonly stacks: readonly Stack[];
}

interface Tree {
  ms: number;
  readonly stage: string;
  readonly children: Map<string, Tree>;
}

/** Narrower frames are not visible. */
const smallestShare = 0.004;
const mostFrames = 28;

/** The frames of a flame graph: each role, and above it the stacks that it had. Frames with the same callers are one frame. */
export function flameGraphOf(roles: readonly RoleStacks[]): readonly FlameFrame[] {
  const root = emptyTree('');
  for (const { role, stacks } of roles) {
    for (const stack of stacks) {
      addStack(root, role, stack);
    }
  }
  return framesOf(root, { depth: 0, from: 0, least: root.ms * smallestShare });
}

function emptyTree(stage: string): Tree {
  return { ms: 0, stage, children: new Map() };
}

function addStack(root: Tree, role: ProcessRole, { frames, ms }: Stack): void {
  let tree = root;
  tree.ms += ms;
  const path = frames.slice(0, mostFrames);
  [role, ...path.map(textOf)].forEach((name, index) => {
    const child = tree.children.get(name) ?? emptyTree(stageOf(role, { frames: path.slice(0, index) }));
    tree.children.set(name, child);
    child.ms += ms;
    tree = child;
  });
}

function textOf({ name, location }: Frame): string {
  const file = location.split('/').slice(-2).join('/');
  return file === '' ? name : `${name} ${file}`;
}

interface Place {
  readonly depth: number;
  readonly from: number;
  /** Frames with less time are left out. */
  readonly least: number;
}

function framesOf({ children }: Tree, { depth, from, least }: Place): readonly FlameFrame[] {
  let at = from;
  return [...children].flatMap(([name, child]) => {
    const start = at;
    at += child.ms;
    return child.ms < least
      ? []
      : [
          { name, stage: child.stage, depth, from: start, ms: child.ms },
          ...framesOf(child, { depth: depth + 1, from: start, least }),
        ];
  });
}
