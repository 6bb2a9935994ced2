import type { Logger } from '../core/logger.js';

/** A role of the service while it runs. */
export interface RunningRole {
  /** The address of health, readiness and metrics, and of the API, as `http://host:port`. */
  readonly address: string;
  /**
   * The address of metrics and of the details of readiness. Without a separate port for metrics, it equals `address`.
   */
  readonly metricsAddress: string;
  /** Resolves when the role has failed permanently. The process must then end with exit code 1. */
  readonly lost: Promise<Error>;
  /**
   * Makes the role unready while it continues to serve, and resolves after the drain delay. During the drain delay,
   * load balancers notice that the role is unready. Only a role behind load balancers has `drain`, and `stop` must
   * follow.
   */
  drain?: () => Promise<void>;
  /** Stops the role, which starts no further work, finishes the work in flight, and closes its resources. */
  stop: () => Promise<void>;
}

/** A promise of the role's first permanent failure, and the function that reports a failure. */
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
