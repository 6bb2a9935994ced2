import type { Logger } from '../../core/logger.js';

/**
 * Spares requests the wait for a server that does not answer.
 *
 *     asks ── failures in a row ──► skips ── once an interval ──► one request probes
 *      ▲                              ▲                              │     │
 *      │                              └────────── it fails ──────────┘     │
 *      └─────────────────────────── it is answered ────────────────────────┘
 */
export interface CircuitBreaker {
  /** Whether to ask the server now. While it skips, true for one request per interval, the probe. */
  allows: () => boolean;
  answered: () => void;
  failed: (reason: string) => void;
}

export interface CircuitBreakerOptions {
  /** The number of failures in a row after which the server is skipped. */
  readonly failuresToSkip: number;
  readonly probeIntervalMs: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** The log message for a skipped server, with the consequence. */
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
