import type { GroupOffsets } from '../../shared/kafka/groupOffsets.js';
import type { TopicOffsets } from '../../shared/kafka/topicOffsets.js';
import type { Logger } from '../../shared/logger.js';
import { createPasses } from '../../shared/passes.js';
import { afterLook, isUnderWay, type CatchUpState } from './catchUpState.js';

export interface DeliveryCatchUpDependencies {
  readonly offsets: TopicOffsets;
  readonly groups: Pick<GroupOffsets, 'committed'>;
  /** The group that makes first attempts. */
  readonly group: string;
  readonly logger: Pick<Logger, 'warn'>;
}

export interface DeliveryCatchUp {
  /** Whether deliveries make up for what the log held at the start, and for what came since. Not known yet, they may. */
  isUnderWay: () => boolean;
  stop: () => Promise<void>;
}

/** Each look is three small requests, until it is done. */
const restMs = 1000;

/** After a crash events wait to be delivered: this tells until when others would only wait behind them. */
export function startDeliveryCatchUp({
  offsets,
  groups,
  group,
  logger,
}: DeliveryCatchUpDependencies): DeliveryCatchUp {
  const startedAtMs = performance.now();
  let state: CatchUpState | null = null;
  const passes = createPasses({
    pass: async () => {
      const [ends, committed] = await Promise.all([
        offsets.ends('events'),
        groups.committed(group, 'events'),
      ]);
      state = afterLook(state, { atMs: performance.now(), ends, committed });
      if (state.isDone) {
        void passes.stop();
      }
    },
    restMs,
    warning: 'how far deliveries are behind is not known yet',
    logger,
  });
  passes.start();
  return {
    isUnderWay: () => isUnderWay(state ?? { isDone: false, movedAtMs: startedAtMs }, performance.now()),
    stop: passes.stop,
  };
}
