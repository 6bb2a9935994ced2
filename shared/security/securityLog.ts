import { createBoundedMap } from '../concurrency/boundedMap.js';
import type { Logger } from '../core/logger.js';

/** The stable names of security log lines. docs/operations/security.md lists them. */
export type SecurityEvent =
  'sign_in_failed' | 'sign_in_limited' | 'key_rejected' | 'audit_entry_not_written' | 'operator_command';

/** The fields of a security log line. No field contains a secret or a part of a secret. */
export type SecurityFields = Readonly<Record<string, unknown>>;

/** Log lines about actions that no account's audit log contains. */
export interface SecurityLog {
  /**
   * Writes a security log line. Equal lines within a minute are written once. The next equal line contains the number
   * of omitted lines, as `repeated`.
   */
  readonly write: (event: SecurityEvent, fields: SecurityFields) => void;
}

const intervalMs = 60_000;
/**
 * The maximum number of lines in an interval. Further lines are only counted, because a flood of lines must not fill
 * the disk.
 */
const maximumLines = 1000;
/** The maximum number of lines that are stored in memory for comparison. */
const maximumRemembered = 10_000;

/** @param now a monotonic clock, in milliseconds */
export function createSecurityLog(logger: Pick<Logger, 'warn'>, now: () => number): SecurityLog {
  const recent = createBoundedMap<string, { until: number; repeated: number }>(maximumRemembered);
  let interval = { until: 0, lines: 0, dropped: 0 };

  /**
   * Counts a line.
   * @returns whether the line may be written, and how many lines were dropped in the previous interval
   */
  const count = (time: number): { readonly hasRoom: boolean; readonly dropped: number } => {
    const dropped = time >= interval.until ? interval.dropped : 0;
    if (time >= interval.until) {
      interval = { until: time + intervalMs, lines: 0, dropped: 0 };
    }
    if (interval.lines >= maximumLines) {
      interval.dropped += 1;
      return { hasRoom: false, dropped };
    }
    interval.lines += 1;
    return { hasRoom: true, dropped };
  };

  return {
    write: (event, fields) => {
      const time = now();
      const line = JSON.stringify([event, fields]);
      const known = recent.get(line);
      if (known !== undefined && time < known.until) {
        known.repeated += 1;
        return;
      }
      const { hasRoom, dropped } = count(time);
      if (!hasRoom) {
        return;
      }
      const repeated = known?.repeated ?? 0;
      recent.set(line, { until: time + intervalMs, repeated: 0 });
      const counts = { ...(repeated > 0 ? { repeated } : {}), ...(dropped > 0 ? { dropped } : {}) };
      logger.warn({ security: event, ...fields, ...counts }, 'security');
    },
  };
}
