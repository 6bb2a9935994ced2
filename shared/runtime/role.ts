import type { Logger } from '../core/logger.js';

/** A role of the service while it runs. */
export interface RunningRole {
  /** The address of health, readiness and metrics, and of the API: `http://host:port`. */
  readonly address: string;
  /** The address of metrics and of the details of readiness: the same one, unless they have a separate port. */
  readonly metricsAddress: string;
  /** Resolves when the role has permanently lost its work. Its process must then end with exit code 1. */
  readonly lost: Promise<Error>;
  /**
   * The current CPU priority relative to other processes of the machine: 0 to 19, in the steps of `nice`. Each step
   * lowers the share by a fifth.
   */
  niceness: () => number;
  /**
   * Makes the role unready while it continues to serve, and resolves after the drain delay. In that time load balancers
   * notice. So only roles behind load balancers have a delay. `stop` follows.
   */
  drain?: () => Promise<void>;
  /** Stops in order: starts no further work, finishes the work in flight, and closes everything. */
  stop: () => Promise<void>;
}

/** A promise of the first reported loss, and the function that reports one. */
export function createLossReport(logger: Logger): { lost: Promise<Error>; report: (error: Error) => void } {
  let report: (error: Error) => void = () => undefined;
  const lost = new Promise<Error>((resolve) => {
    report = (error) => {
      logger.fatal({ error: error.message }, 'the role cannot continue and stops');
      resolve(error);
    };
  });
  return { lost, report };
}
