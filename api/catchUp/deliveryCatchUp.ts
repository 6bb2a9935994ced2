import { createPeriodicTask } from '../../shared/concurrency/periodicTask.js';
import type { Logger } from '../../shared/core/logger.js';
import { nextCatchUpState, type CatchUpState } from './catchUpState.js';
import type { TakenUp } from './takenUp.js';

export interface DeliveryCatchUpDependencies {
  /** The progress of first attempts. The samples are part of its history, so the history is recent. */
  readonly takenUp: Pick<TakenUp, 'snapshot'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** The interval between two samples of the delivery group's offsets, in milliseconds. */
  readonly pollIntervalMs?: number;
}

export interface DeliveryCatchUp {
  /**
   * Whether deliveries lag behind the log by more than the slowest attempt explains. The value is true until the first
   * samples.
   */
  isCatchingUp: () => boolean;
  stop: () => Promise<void>;
}

/** The interval equals that of the other periodic tasks of an idle process, so that the tasks share wake-ups. */
const defaultRestMs = 2500;

/**
 * Detects the backlog of deliveries after a crash or an outage, because new events would only wait behind the backlog.
 */
export function startDeliveryCatchUp({
  takenUp,
  logger,
  pollIntervalMs = defaultRestMs,
}: DeliveryCatchUpDependencies): DeliveryCatchUp {
  let state: CatchUpState | null = null;
  const poll = createPeriodicTask({
    pass: async () => {
      const { ends, committed } = await takenUp.snapshot();
      state = nextCatchUpState(state, { atMs: performance.now(), ends, committed });
    },
    restMs: pollIntervalMs,
    warning: 'the lag of deliveries is unknown',
    logger,
  });
  poll.start();
  return {
    isCatchingUp: () => state?.isKeepingUp !== true,
    stop: poll.stop,
  };
}
