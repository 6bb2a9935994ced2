import type { GroupOffsets } from '../../shared/log/client/groupOffsets.js';
import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { Logger } from '../../shared/core/logger.js';
import { createPeriodicTask } from '../../shared/concurrency/periodicTask.js';
import { afterLook, type CatchUpState } from './catchUpState.js';

export interface DeliveryCatchUpDependencies {
  readonly offsets: TopicOffsets;
  readonly groups: Pick<GroupOffsets, 'committed'>;
  /** The group that makes first attempts. */
  readonly group: string;
  readonly logger: Pick<Logger, 'warn'>;
  /** From one look to the next, in milliseconds. Each is three small requests. */
  readonly restMs?: number;
}

export interface DeliveryCatchUp {
  /** Whether deliveries are behind what the log holds by more than their slowest attempt explains. Not known yet, they may be. */
  isUnderWay: () => boolean;
  stop: () => Promise<void>;
}

/** As often as what an idle process does by itself. */
const defaultRestMs = 2500;

/** After a crash or an outage events wait to be delivered: this tells for how long others would only wait behind them. */
export function startDeliveryCatchUp({
  offsets,
  groups,
  group,
  logger,
  restMs = defaultRestMs,
}: DeliveryCatchUpDependencies): DeliveryCatchUp {
  let state: CatchUpState | null = null;
  const passes = createPeriodicTask({
    pass: async () => {
      const [ends, committed] = await Promise.all([
        offsets.ends('events'),
        groups.committed(group, 'events'),
      ]);
      state = afterLook(state, { atMs: performance.now(), ends, committed });
    },
    restMs,
    warning: 'how far deliveries are behind is not known yet',
    logger,
  });
  passes.start();
  return {
    isUnderWay: () => state?.keepsUp !== true,
    stop: passes.stop,
  };
}
