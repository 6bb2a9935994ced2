import type { DeadLetters } from '../../shared/kafka/deadLetters.js';
import type { Logger } from '../../shared/logger.js';
import type { Metrics } from '../../shared/metrics.js';
import { fullTopicName } from '../../shared/topics/names.js';

/** Tiers have no dead letters: only the service writes there, and what it cannot read is of use to nobody. */
export function createUnreadable(dependencies: {
  readonly prefix: string;
  readonly logger: Pick<Logger, 'error'>;
  readonly metrics: Pick<Metrics, 'deadLetters'>;
}): DeadLetters {
  return {
    append: ({ topic, partition, offset }, reason) => {
      dependencies.metrics.deadLetters.inc({ topic: fullTopicName(dependencies.prefix, topic) });
      dependencies.logger.error({ topic, partition, offset, reason }, 'a planned attempt cannot be read');
      return Promise.resolve();
    },
  };
}
