import { singleFlight } from '../../shared/concurrency/singleFlight.js';
import type { Webhook } from '../../shared/domain/webhooks/webhook.js';
import type { Admitted, WorkResult } from '../../shared/log/window/retryingHandler.js';
import type { DeliveryProgress, RecordedState } from '../engine/deliveryJob.js';

/** An event that delivery has taken up, with the webhooks that match it. */
export interface MatchedEvent {
  readonly webhooks: readonly Webhook[];
  /** The progress of the delivery to one webhook of the event. */
  readonly progressOf: (webhookId: string) => DeliveryProgress;
  /**
   * Resolves when the record of the event may be done. All deliveries of the event must have ended before the call.
   * @returns `done` if the log contains the deliveries of the event
   */
  readonly settled: () => Promise<WorkResult>;
}

export interface MatchedEventSettings {
  readonly webhooks: readonly Webhook[];
  /** The webhooks of all deliveries of the event, including those that the log contained before. */
  readonly webhookIds: readonly string[];
  /** Whether the log contains the set of deliveries already. */
  readonly isKnown: boolean;
  /** Appends `.matched`, the record that names the webhooks, which also parks the deliveries to some of them. */
  readonly append: (parked: ReadonlySet<string>) => Promise<WorkResult>;
  readonly admitted: Pick<Admitted, 'know' | 'started'>;
  readonly signal: AbortSignal;
}

/** How long after the take-up of an unfinished event its `.matched` is appended, in milliseconds. */
const quickMs = 500;
/**
 * The lateness of a timer that shows a pause of the process. The process may have lost the partition, and notices that
 * with its next heartbeat.
 */
const pausedMs = 2000;

/**
 * Follows the deliveries of an event, and appends `.matched` if the event is not delivered quickly:
 *
 * ```
 *   taken up ──┬──► all deliveries recorded, none is retried or parked ──► no `.matched`
 *              ├──► all recorded or parked, one is retried or parked ────► `.matched`
 *              └──► half a second without either ────────────────────────► `.matched`
 * ```
 * The event's own record is done only after the acknowledgement. So if the process dies, the next owner of the partition
 * finds either the set of deliveries or no part of it.
 */
export function createMatchedEvent(settings: MatchedEventSettings): MatchedEvent {
  const { webhooks, webhookIds, isKnown, admitted, signal } = settings;
  const matched = createMatchedRecord(settings);
  const notBegun = new Set(webhookIds);
  const unrecorded = new Set(webhookIds);
  let isRetriedOrParked = false;
  let timer: NodeJS.Timeout | undefined;

  const startTimer = () => {
    const dueAt = performance.now() + quickMs;
    timer = setTimeout(() => {
      if (performance.now() - dueAt > pausedMs) {
        startTimer();
      } else if (signal.aborted) {
        matched.abandonParking();
      } else {
        // The other events of the account do not wait for the acknowledgement, which may take as long as a failover.
        admitted.started();
        matched.begin();
      }
    }, quickMs);
  };

  const begun = (webhookId: string) => {
    if (notBegun.delete(webhookId) && notBegun.size === 0) {
      admitted.started();
    }
  };

  const recorded = (webhookId: string, state: RecordedState) => {
    begun(webhookId);
    if (matched.isAcknowledged() || !unrecorded.delete(webhookId)) {
      return;
    }
    isRetriedOrParked ||= state === 'retrying' || state === 'parked';
    if (unrecorded.size === 0) {
      clearTimeout(timer);
      if (isRetriedOrParked) {
        matched.begin();
      }
    }
  };

  const park = (webhookId: string) => {
    const parked = matched.park(webhookId);
    if (parked !== null) {
      recorded(webhookId, 'parked');
    }
    return parked;
  };

  if (isKnown) {
    admitted.know();
  } else if (webhookIds.length > 0) {
    startTimer();
  }
  return {
    webhooks,
    progressOf: (webhookId) => ({
      begun: () => {
        begun(webhookId);
      },
      recorded: (state) => {
        recorded(webhookId, state);
      },
      park: () => park(webhookId),
    }),
    settled: async () => {
      clearTimeout(timer);
      return matched.hasBegun() && !matched.isAcknowledged() ? matched.append() : 'done';
    },
  };
}

/** The `.matched` of an event. It has begun and is acknowledged from the start if the log contained it before. */
function createMatchedRecord({ isKnown, append, admitted }: MatchedEventSettings) {
  /** What continues each delivery that the record parks when its append has begun. */
  const parking = new Map<string, (end: Promise<WorkResult> | WorkResult) => void>();
  let hasBegun = isKnown;
  let isAcknowledged = isKnown;

  const appendParking = singleFlight(async () => {
    const result = await append(new Set(parking.keys()));
    if (result === 'done') {
      isAcknowledged = true;
      admitted.know();
    }
    return result;
  });

  const appendOnce = (): Promise<WorkResult> => {
    hasBegun = true;
    const appending = appendParking();
    endParking(appending);
    return appending;
  };

  /** If the append fails, its deliveries are tried again, and may be attempted. So a later append does not park them. */
  const endParking = (end: Promise<WorkResult> | WorkResult) => {
    parking.forEach((resume) => {
      resume(end);
    });
    parking.clear();
  };

  return {
    hasBegun: () => hasBegun,
    isAcknowledged: () => isAcknowledged,
    /** Parks a delivery in the record, and returns the end of the append; null if the append has begun before. */
    park: (webhookId: string): Promise<WorkResult> | null =>
      hasBegun
        ? null
        : new Promise((resolve) => {
            parking.set(webhookId, resolve);
          }),
    append: appendOnce,
    /** Appends without an answer. An error reaches the caller of `settled`, which appends again. */
    begin: () => {
      appendOnce().catch(() => null);
    },
    /** Lets the deliveries end that wait for the append, because the partition was lost. */
    abandonParking: () => {
      endParking('abandoned');
    },
  };
}
