import { nameOfPartition, type TopicPartition } from '../../shared/log/client/topicPartition.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import type { Batch } from '../fold/foldBatches.js';

/** How old what each partition has in hand is: what was fetched and is not folded. */
export interface OldestPending<Model extends ModelDocument> {
  /** @param timestamp when the first record of what was fetched was appended, in milliseconds since 1970 */
  begin: (partition: TopicPartition, timestamp: number) => void;
  /** @param isLast whether nothing was handed over behind it */
  end: (batch: Batch<Model>, isLast: boolean) => void;
  clear: () => void;
  /** When the oldest of it was appended; null where there is nothing. */
  since: () => number | null;
}

export function createOldestPending<Model extends ModelDocument>(): OldestPending<Model> {
  const firsts = new Map<string, number>();
  return {
    begin: (partition, timestamp) => {
      const name = nameOfPartition(partition);
      firsts.set(name, firsts.get(name) ?? timestamp);
    },
    end: ({ partition, records }, isLast) => {
      const name = nameOfPartition(partition);
      const last = records.at(-1)?.record.timestamp ?? firsts.get(name);
      if (isLast || last === undefined) {
        firsts.delete(name);
      } else {
        // What stands behind it was appended no earlier.
        firsts.set(name, last);
      }
    },
    clear: () => {
      firsts.clear();
    },
    since: () => (firsts.size === 0 ? null : Math.min(...firsts.values())),
  };
}
