import { backlogLanes, type BacklogLane } from '../../shared/store/models/documents.js';
import type { LogPosition } from '../../shared/log/records/retry.js';
import type { ModelPositions } from '../../shared/store/models/generations.js';
import type { BacklogReference } from './backlogPages.js';

/** A parking record, or a backlog that the model contains. */
export interface ParkedDelivery extends BacklogReference {
  /** The offsets of the parking record and of its event, from which the model contains the delivery. */
  readonly offsets: { readonly deliveries: number; readonly events: number };
}

interface LaneState {
  /** The offset of the event up to which deliveries are loaded. */
  above: number;
  /** Whether no further delivery can be loaded, until the model contains a new one. */
  isExhausted: boolean;
  /** Whether the lane was read from its beginning, and has no delivery. */
  isEmpty: boolean;
}

/** The backlog of a webhook in a partition that this process owns. */
export interface PartitionBacklog {
  readonly home: number;
  /** Aborted when this process loses the partition. */
  readonly signal: AbortSignal;
  /** The offsets that the model must have passed before an empty page shows that the backlog has ended. */
  readonly awaited: { deliveries: number; events: number };
  readonly lanes: Readonly<Record<BacklogLane, LaneState>>;
}

/** An attempt that is loaded or has ended. */
export interface RecentAttempt {
  /** When the attempt ended, in milliseconds of a monotonic clock; null while it is loaded. */
  endedAt: number | null;
  /** The position of the outcome in `deliveries`; null if this process has not recorded one. */
  outcome: LogPosition | null;
}

/** The backlog of a webhook in all partitions that this process owns. */
export interface Backlog {
  readonly accountId: string;
  /** The tenancy of the webhook; null without one. */
  readonly tenancy: string | null;
  readonly webhookId: string;
  readonly partitions: Map<number, PartitionBacklog>;
  /** The attempts that are loaded, and those that have ended while the model may still show them as parked. */
  readonly recent: Map<string, RecentAttempt>;
  loaded: number;
  /** The failed attempts since the last success; infinite before the first success. */
  failures: number;
  isReading: boolean;
  /** Whether the backlog must be examined again after the read. */
  isWoken: boolean;
  /** The time before which no attempt is loaded, because a loaded attempt has got no slot. */
  notBefore: number;
}

/** The backlogs of this process. Its size is bounded by the number of webhooks with a backlog. */
export interface Backlogs {
  readonly add: (parked: ParkedDelivery, signal: AbortSignal) => Backlog;
  readonly all: () => Iterable<Backlog>;
  /** Forgets a backlog that has neither partitions nor loaded attempts. */
  readonly forgetIfEnded: (backlog: Backlog) => void;
}

/** The position before the first event of a partition. */
export const beginning = -1;

export function createBacklogs(): Backlogs {
  const byWebhook = new Map<string, Backlog>();

  const backlogOf = ({ accountId, tenancy, webhookId }: BacklogReference): Backlog => {
    const known = byWebhook.get(webhookId);
    if (known !== undefined) {
      return known;
    }
    const counts = { loaded: 0, failures: Infinity, notBefore: 0, isReading: false, isWoken: false };
    const backlog = {
      accountId,
      tenancy,
      webhookId,
      ...counts,
      partitions: new Map<number, PartitionBacklog>(),
      recent: new Map<string, RecentAttempt>(),
    };
    byWebhook.set(webhookId, backlog);
    return backlog;
  };

  return {
    add: (parked, signal) => {
      const backlog = backlogOf(parked);
      const known = backlog.partitions.get(parked.home);
      const partition = known?.signal === signal ? known : createPartition(parked.home, signal);
      backlog.partitions.set(parked.home, partition);
      const { awaited, lanes } = partition;
      awaited.deliveries = Math.max(awaited.deliveries, parked.offsets.deliveries);
      awaited.events = Math.max(awaited.events, parked.offsets.events);
      for (const lane of backlogLanes) {
        lanes[lane].isEmpty = false;
      }
      return backlog;
    },
    all: () => byWebhook.values(),
    forgetIfEnded: (backlog) => {
      for (const [home, { signal }] of backlog.partitions) {
        if (signal.aborted) {
          backlog.partitions.delete(home);
        }
      }
      if (backlog.partitions.size === 0 && backlog.loaded === 0) {
        byWebhook.delete(backlog.webhookId);
      }
    },
  };
}

function createPartition(home: number, signal: AbortSignal): PartitionBacklog {
  const lane = () => ({ above: beginning, isExhausted: false, isEmpty: false });
  return {
    home,
    signal,
    awaited: { deliveries: -1, events: -1 },
    lanes: { '-': lane(), replay: lane() },
  };
}

/** Whether a model with these positions contains all parking records of the partition that this process has read. */
export function hasPassed({ home, awaited }: PartitionBacklog, positions: ModelPositions): boolean {
  return (
    (positions.deliveries?.[home] ?? 0) > awaited.deliveries &&
    (positions.events?.[home] ?? 0) > awaited.events
  );
}

/** How long an attempt without a known outcome is skipped, in milliseconds. The model usually contains its end sooner. */
const skippedMs = 5000;

/**
 * Forgets the attempts that have ended, as soon as no later page can contain them. A page contains an attempt until the
 * model contains its outcome, however far the model is behind.
 * @param positions the positions of the model, which each later page includes; null if they are unknown
 */
export function forgetEnded(
  { recent }: Pick<Backlog, 'recent'>,
  { positions, time }: { readonly positions: ModelPositions | null; readonly time: number },
): void {
  for (const [key, { endedAt, outcome }] of recent) {
    const hasEnded =
      outcome === null
        ? endedAt !== null && time - endedAt > skippedMs
        : (positions?.deliveries?.[outcome.partition] ?? 0) > outcome.offset;
    if (hasEnded) {
      recent.delete(key);
    }
  }
}
