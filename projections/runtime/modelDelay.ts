import type { GroupDelay } from '../../shared/log/lag/groupReport.js';
import type { Metrics } from '../../shared/runtime/metrics.js';
import type { AliasDocument } from '../../shared/store/models/generations.js';
import type { ModelName } from '../../shared/store/models/modelDefinitions.js';

export interface ModelDelayDependencies {
  readonly model: ModelName;
  readonly generation: string;
  /** The alias of the model that was read last. */
  readonly listed: () => AliasDocument;
  readonly metrics: Pick<Metrics, 'projectionBehind' | 'projectionStalled'>;
}

/** The metrics of one generation's delay, in the partitions of this process. */
export interface ModelDelay {
  /** @param delay null if it is unknown */
  show: (delay: GroupDelay | null) => void;
  /** Removes the metric series of the generation. */
  remove: () => void;
}

/**
 * The metrics of a generation's delay. Only the live generation has a delay, because a rebuild reads old records until
 * it is done. The live generation and a rebuild may stall. A compared generation has no series, because it stops at
 * given offsets. A previous generation has no series, because it serves no process of this version.
 */
export function createModelDelay({ model, generation, listed, metrics }: ModelDelayDependencies): ModelDelay {
  const { projectionBehind, projectionStalled } = metrics;
  const labels = { model, generation };
  const remove = () => {
    projectionBehind.remove(labels);
    projectionStalled.remove(labels);
  };
  return {
    show: (delay) => {
      remove();
      const { live, building } = listed();
      const isLive = live === generation;
      const isSwitching = building?.name === generation && building.purpose === 'switch';
      if (delay !== null && isLive) {
        projectionBehind.set(labels, delay.oldestMs / 1000);
      }
      if (delay !== null && (isLive || isSwitching)) {
        projectionStalled.set(labels, delay.stalledMs / 1000);
      }
    },
    remove,
  };
}
