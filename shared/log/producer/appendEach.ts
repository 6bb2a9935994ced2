import { UnavailableError } from '../../core/errors.js';
import type { OutgoingRecord } from '../encoding/record.js';
import { partitionOf } from '../topics/partition.js';
import type { AppendOptions } from './partitionBatcher.js';
import { sizeOf, type LogAppender } from './producer.js';

/**
 * The maximum size of the records that one append contains, in bytes. A lane sends an append in one request, and a
 * request is limited by the broker's `max.message.bytes`.
 */
const maximumBundleBytes = 512 * 1024;

interface Bundle {
  readonly records: [OutgoingRecord, ...OutgoingRecord[]];
  /** The position of each record among the given records. */
  readonly indexes: number[];
  bytes: number;
}

/**
 * Appends records of one topic, with one append for each partition. Records that exceed the size of a request are split
 * into several appends in their order. Each append succeeds or fails separately.
 * @param partitions the number of partitions of the topic
 * @returns for each record the error of its append, or null if all in-sync replicas have the record
 */
export async function appendEach(
  log: Pick<LogAppender, 'appendTogether'>,
  records: readonly OutgoingRecord[],
  partitions: number,
  options?: AppendOptions,
): Promise<readonly (UnavailableError | null)[]> {
  const failures: (UnavailableError | null)[] = records.map(() => null);
  const appends = bundlesOf(records, partitions).map(async (bundle) => {
    try {
      await log.appendTogether(bundle.records, options);
    } catch (error) {
      if (!(error instanceof UnavailableError)) {
        throw error;
      }
      for (const index of bundle.indexes) {
        failures[index] = error;
      }
    }
  });
  const unexpected = (await Promise.allSettled(appends)).find(({ status }) => status === 'rejected');
  if (unexpected?.status === 'rejected') {
    throw unexpected.reason;
  }
  return failures;
}

function bundlesOf(records: readonly OutgoingRecord[], partitions: number): readonly Bundle[] {
  const bundles: Bundle[] = [];
  const lastOf = new Map<number, Bundle>();
  for (const [index, record] of records.entries()) {
    const partition = record.partition ?? partitionOf(record.key, partitions);
    const bytes = sizeOf(record);
    const last = lastOf.get(partition);
    if (last === undefined || last.bytes + bytes > maximumBundleBytes) {
      const bundle: Bundle = { records: [record], indexes: [index], bytes };
      bundles.push(bundle);
      lastOf.set(partition, bundle);
    } else {
      last.records.push(record);
      last.indexes.push(index);
      last.bytes += bytes;
    }
  }
  return bundles;
}
