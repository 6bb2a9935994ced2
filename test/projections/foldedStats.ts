import { createFoldBatches } from '../../projections/fold/foldBatches.js';
import { recordReference, type DecodedRecord } from '../../projections/fold/foldDocuments.js';
import { createRecentRecordIds } from '../../projections/fold/recentRecordIds.js';
import { statsProjection } from '../../projections/models/stats.js';
import { recordIdOf } from '../../shared/log/encoding/cloudEvent.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import type { ModelGeneration } from '../../shared/store/generations/modelGeneration.js';
import type { StatsDocument } from '../../shared/store/models/statsDocuments.js';
import type { Partitions } from './foldedLog.js';

/** A model in memory. */
export function memoryGeneration() {
  const documents = new Map<string, StatsDocument>();
  const generation: ModelGeneration<StatsDocument> = {
    name: 'memory',
    positions: () => Promise.resolve({}),
    load: () => Promise.resolve(documents),
    loadFences: () => Promise.resolve(new Map()),
    writeFences: () => Promise.resolve('written'),
    write: (changes) => {
      changes.forEach(({ after }) => documents.set(after._id, after));
      return Promise.resolve('written');
    },
    advance: () => Promise.resolve('advanced'),
    skip: () => Promise.resolve('advanced'),
  };
  return { generation, documents };
}

/** A record as the model reads it. */
export function readModelRecord(record: RawRecord): DecodedRecord<StatsDocument> {
  const decoded = statsProjection.read(record);
  return { record: recordReference(record), folds: decoded.readable ? decoded.content : [] };
}

/** Folds each batch like a process that has just started: it remembers only the ids that it reads again. */
export async function foldFromStart(
  partitions: Partitions,
  batches: readonly (readonly RawRecord[])[],
): Promise<ReadonlyMap<string, StatsDocument>> {
  const { generation, documents } = memoryGeneration();
  for (const records of batches) {
    const [first] = records;
    const partition = partitions.find(([earliest]) => isSamePartition(earliest, first));
    if (first !== undefined && partition !== undefined) {
      const recent = createRecentRecordIds(statsProjection.deduplicationWindow ?? 0);
      recent.remember(first, partition.slice(0, first.offset).map(recordIdOf), first.offset);
      const batch = {
        partition: first,
        records: records.map(readModelRecord),
        nextOffset: first.offset + records.length,
        filteredAt: Date.now(),
      };
      await createFoldBatches(generation)([batch], { ...recent, isCurrent: () => true });
    }
  }
  return documents;
}

function isSamePartition(one: RawRecord | undefined, other: RawRecord | undefined): boolean {
  return one?.topic === other?.topic && one?.partition === other?.partition;
}
