import { startChild, type ChildProcess } from '../processes/childProcess.js';
import type { Pipeline, PipelineOptions } from './pipeline.js';
import type { RoleStart } from './roles.js';

export interface Program {
  readonly pipeline: Pipeline['name'];
  /** The file that Node runs. */
  readonly program: string;
  /** The arguments after the name of the role. */
  readonly args: readonly string[];
}

/** Starts each role in its own process, as in production. */
export function roleStarter(
  { environment: common, nodeOptions, host }: PipelineOptions,
  { pipeline, program, args }: Program,
): (start: RoleStart) => Promise<ChildProcess> {
  return ({ role, name, environment }) =>
    startChild(
      {
        name: `${pipeline}-${name}`,
        program,
        args: [role, ...args],
        nodeOptions,
        environment: { ...common, ...environment },
      },
      host,
    );
}
