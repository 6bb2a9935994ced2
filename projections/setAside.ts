import type { DeadLetters } from '../shared/kafka/deadLetters.js';
import type { Logger } from '../shared/logger.js';
import type { Metrics } from '../shared/metrics.js';
import { accountKeysTopic, fullTopicName } from '../shared/topics/names.js';

export interface SetAsideDependencies {
  readonly deadLetters: DeadLetters;
  readonly isBuilding: () => boolean;
  readonly prefix: string;
  readonly metrics: Pick<Metrics, 'unfoldedRecords' | 'deadLetters'>;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

/**
 * Counts the records that a model does not contain, and sets them aside. A generation that is being built only reports them: the live
 * generation has set them aside, or will, unless the version that is built reads less than the version before.
 */
export function createSetAside({
  deadLetters,
  isBuilding,
  prefix,
  metrics,
  logger,
}: SetAsideDependencies): DeadLetters {
  return {
    append: async (record, reason, unfolded) => {
      const { topic, partition, offset } = record;
      const details = { topic, partition, offset, reason, ...unfolded };
      if (isBuilding()) {
        logger.warn(details, 'a rebuild has skipped a record that cannot be read or folded');
      } else if (topic === accountKeysTopic) {
        // Without dead letters: they would retain the keys that the log destroys.
        metrics.deadLetters.inc({ topic: fullTopicName(prefix, topic) });
        logger.error(details, 'a record of an account key cannot be folded');
      } else {
        await deadLetters.append(record, reason, unfolded);
      }
      if (unfolded !== undefined) {
        metrics.unfoldedRecords.inc(unfolded);
      }
    },
  };
}
