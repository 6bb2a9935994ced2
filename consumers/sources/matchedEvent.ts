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
  /** Appends the record that names the webhooks, and parks the deliveries to some of them. */
  readonly append: (parked: ReadonlySet<string>) => Promise<WorkResult>;
  readonly admitted: Pick<Admitted, 'know' | 'started'>;
  readonly signal: AbortSignal;
}

/** The time after which the webhooks of an unfinished event are recorded, in milliseconds. */
const quickMs = 500;
/**
 * The lateness of a timer that shows a pause of the process. The process may have lost the partition, and notices that
 * with its next heartbeat.
 */
const pausedMs = 2000;

/**
 * The state of an event that is taken up. A record that names the webhooks is appended:
 * - after half a second, if a delivery is neither recorded nor parked;
 * - when all deliveries are recorded or parked, if one of them is retried or parked.
 *
 * A delivery that ends quickly costs no record. The event's own record is done after the acknowledgement. So if the
 * process dies, the next owner of the partition finds either the set of deliveries or no part of it.
 */
export function createMatchedEvent(settings: MatchedEventSettings): MatchedEvent {
  const { webhooks, webhookIds, isKnown, append, admitted, signal } = settings;
  const waiting = new Set(webhookIds);
  const unrecorded = new Set(webhookIds);
  /** The webhooks whose deliveries the record parks, and what continues each delivery when the append has begun. */
  const parking = new Map<string, (appending: Promise<WorkResult> | 'abandoned') => void>();
  let isNeeded = false;
  let isDue = false;
  let isAcknowledged = isKnown;
  let appending: Promise<WorkResult> | null = null;
  let timer: NodeJS.Timeout | undefined;

  const appendDue = async (): Promise<WorkResult> => {
    const result = await append(new Set(parking.keys()));
    if (result === 'done') {
      isAcknowledged = true;
      admitted.know();
    }
    return result;
  };

  const appendOnce = (): Promise<WorkResult> => {
    clearTimeout(timer);
    isDue = true;
    appending ??= appendDue().finally(() => {
      appending = null;
    });
    continueParking(appending);
    return appending;
  };

  /** If the append fails, its deliveries are tried again, and may be attempted. So a later append does not park them. */
  const continueParking = (result: Promise<WorkResult> | 'abandoned') => {
    parking.forEach((resume) => {
      resume(result);
    });
    parking.clear();
  };

  /** The caller of `settled` gets the error of an append that has failed, because it appends again. */
  const beginAppend = () => {
    appendOnce().catch(() => null);
  };

  const startTimer = () => {
    const dueAt = performance.now() + quickMs;
    timer = setTimeout(() => {
      if (performance.now() - dueAt > pausedMs) {
        startTimer();
      } else if (!signal.aborted) {
        // The other events of the account do not wait for the acknowledgement, which may take as long as a failover.
        admitted.started();
        beginAppend();
      } else {
        continueParking('abandoned');
      }
    }, quickMs);
  };

  const begin = (webhookId: string) => {
    if (waiting.delete(webhookId) && waiting.size === 0) {
      admitted.started();
    }
  };

  const record = (webhookId: string, state: RecordedState) => {
    begin(webhookId);
    if (isAcknowledged || !unrecorded.delete(webhookId)) {
      return;
    }
    isNeeded ||= state === 'retrying' || state === 'parked';
    if (unrecorded.size === 0) {
      clearTimeout(timer);
      if (isNeeded) {
        beginAppend();
      }
    }
  };

  const park = (webhookId: string): Promise<WorkResult> | null => {
    if (isDue || isAcknowledged) {
      return null;
    }
    return new Promise((resolve) => {
      parking.set(webhookId, resolve);
      record(webhookId, 'parked');
    });
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
        begin(webhookId);
      },
      recorded: (state) => {
        record(webhookId, state);
      },
      park: () => park(webhookId),
    }),
    settled: async () => {
      clearTimeout(timer);
      return isDue && !isAcknowledged ? appendOnce() : 'done';
    },
  };
}
