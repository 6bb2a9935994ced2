import type { Logger } from '../core/logger.js';

/** A role of the service while it runs. */
export interface RunningRole {
  /** Where it answers health, readiness and metrics, and the API its clients: `http://host:port`. */
  readonly address: string;
  /** The address of metrics and of the details of readiness: the same, unless they have a port of their own. */
  readonly metricsAddress: string;
  /** Resolves when the role has lost its work for good: its process must end, with exit code 1. */
  readonly lost: Promise<Error>;
  /**
   * How much smaller a part of full processors it is to take than others of its machine, as of now: 0 to 19, as `nice` counts, where each
   * step makes it a fifth smaller.
   */
  niceness: () => number;
  /**
   * Makes the role unready while it serves on, and resolves after the drain delay. Only roles that load balancers send requests to have
   * one: it gives load balancers the time to notice. `stop` follows.
   */
  drain?: () => Promise<void>;
  /** Orderly: nothing new is begun, what is under way is finished, all is closed. */
  stop: () => Promise<void>;
}

/** A promise of the first loss that is reported, and how to report one. */
export function createLossReport(logger: Logger): { lost: Promise<Error>; report: (error: Error) => void } {
  let report: (error: Error) => void = () => undefined;
  const lost = new Promise<Error>((resolve) => {
    report = (error) => {
      logger.fatal({ error: error.message }, 'the role has lost its work and ends');
      resolve(error);
    };
  });
  return { lost, report };
}
