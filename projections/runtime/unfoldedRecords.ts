import type { DeadLetters } from '../../shared/log/deadLetters/deadLetters.js';
import type { Logger } from '../../shared/core/logger.js';
import type { Metrics } from '../../shared/runtime/metrics.js';
import { accountKeysTopic, fullTopicName } from '../../shared/log/topics/names.js';

export interface UnfoldedRecordsDependencies {
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
export function createUnfoldedRecords({
  deadLetters,
  isBuilding,
  prefix,
  metrics,
  logger,
}: UnfoldedRecordsDependencies): DeadLetters {
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
