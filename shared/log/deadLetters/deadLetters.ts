import type { Producer } from 'kafkajs';

import type { Clock } from '../../core/clock.js';
import type { Logger } from '../../core/logger.js';
import type { Metrics } from '../../runtime/metrics.js';
import { deadLetterHeaders } from '../records/deadLetter.js';
import { deadLetterTopic, fullTopicName } from '../topics/names.js';
import type { RawRecord } from '../encoding/record.js';

/**
 * The dead-letter topics of a consumer. A consumer appends a record that it cannot process and continues with the next
 * record.
 */
export interface DeadLetters {
  /**
   * Appends a dead letter: the record's key, value and headers byte for byte, the reason, and the record's position.
   */
  append: (record: RawRecord, reason: string, unfolded?: UnfoldedRecord) => Promise<void>;
}

/** Marks a dead letter as a record that is readable, but cannot be folded. */
export interface UnfoldedRecord {
  /** The read model whose documents lack the content of the record. */
  readonly model: string;
}

export interface DeadLettersOptions {
  readonly producer: Pick<Producer, 'send'>;
  readonly prefix: string;
  /** The group of the consumer that appends the dead letters. */
  readonly group: string;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'error'>;
  readonly metrics: Pick<Metrics, 'deadLetters'>;
}

export function createDeadLetters(options: DeadLettersOptions): DeadLetters {
  return {
    append: async (record, reason, unfolded) => {
      const { group } = options;
      const topic = fullTopicName(options.prefix, record.topic);
      const { partition, offset, key, value, headers } = record;
      await options.producer.send({
        topic: deadLetterTopic(topic),
        acks: -1,
        messages: [
          {
            key,
            value,
            headers: {
              ...headers,
              ...deadLetterHeaders({
                reason,
                group,
                topic,
                partition,
                offset,
                at: options.clock(),
                ...unfolded,
              }),
            },
          },
        ],
      });
      options.metrics.deadLetters.inc({ topic });
      options.logger.error({ topic, partition, offset, group, reason }, 'a record went to the dead letters');
    },
  };
}
