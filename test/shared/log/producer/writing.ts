import type { LogAppender } from '../../../../shared/log/producer/producer.js';
import type { RecordPosition } from '../../../../shared/log/encoding/record.js';
import { plainRecord } from '../../../support/log.js';

/** Appends in progress. Each record's value is its key, and no two are the same. */
export interface Writing {
  /** The position of each acknowledged record, by its key, in the order of the acknowledgements. */
  readonly acknowledged: ReadonlyMap<string, RecordPosition>;
  readonly failed: ReadonlySet<string>;
  readonly inFlight: () => number;
  /** The time since the last acknowledgement, in milliseconds. */
  readonly quietMs: () => number;
  /** Starts no more appends. */
  readonly stop: () => void;
  /** Resolves when every append has succeeded or failed. */
  readonly done: Promise<void>;
}

/** Appends to `events` by several callers in parallel. Each caller waits for its answer before its next append. */
export function startWriting(
  log: Pick<LogAppender, 'append'>,
  { callers, records = Infinity }: { callers: number; records?: number },
): Writing {
  const acknowledged = new Map<string, RecordPosition>();
  const failed = new Set<string>();
  let next = 0;
  let inFlight = 0;
  let stopped = false;
  let lastAt = performance.now();

  const append = async (key: string) => {
    inFlight += 1;
    try {
      acknowledged.set(key, await log.append(plainRecord('events', key)));
      lastAt = performance.now();
    } catch {
      failed.add(key);
    } finally {
      inFlight -= 1;
    }
  };
  const call = async () => {
    while (!stopped && next < records) {
      next += 1;
      await append(`record-${next}`);
    }
  };
  return {
    acknowledged,
    failed,
    inFlight: () => inFlight,
    quietMs: () => performance.now() - lastAt,
    stop: () => {
      stopped = true;
    },
    done: Promise.all(Array.from({ length: callers }, call)).then(() => undefined),
  };
}
