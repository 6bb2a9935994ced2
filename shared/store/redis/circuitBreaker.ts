import type { Logger } from '../../core/logger.js';

/**
 * The circuit breaker of a server. While the server does not answer, requests skip it instead of waiting.
 *
 *     asks ── failures in a row ──► skips ── once an interval ──► one request probes
 *      ▲                              ▲                              │     │
 *      │                              └────────── it fails ──────────┘     │
 *      └─────────────────────────── it is answered ────────────────────────┘
 */
export interface CircuitBreaker {
  /**
   * Whether a request may ask the server now. While the server is skipped, only one request in each interval may ask,
   * as a probe.
   */
  allows: () => boolean;
  answered: () => void;
  failed: (reason: string) => void;
}

export interface CircuitBreakerOptions {
  /** The number of successive failures after which the server is skipped. */
  readonly failuresToSkip: number;
  readonly probeIntervalMs: number;
  /** The current time of a monotonic clock, in milliseconds. */
  readonly now: () => number;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** The log message that says that the server is skipped, and the consequence. */
  readonly skipping: string;
}

export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
  const { failuresToSkip, probeIntervalMs, now, logger, skipping } = options;
  let failuresInARow = 0;
  let probeAt = 0;
  const skips = () => failuresInARow >= failuresToSkip;
  return {
    allows: () => {
      if (!skips()) {
        return true;
      }
      const time = now();
      if (time < probeAt) {
        return false;
      }
      probeAt = time + probeIntervalMs;
      return true;
    },
    answered: () => {
      if (skips()) {
        logger.info('Redis responds again');
      }
      failuresInARow = 0;
    },
    failed: (reason) => {
      failuresInARow += 1;
      if (failuresInARow === failuresToSkip) {
        probeAt = now() + probeIntervalMs;
        logger.warn({ reason, probeIntervalMs }, skipping);
      }
    },
  };
}
