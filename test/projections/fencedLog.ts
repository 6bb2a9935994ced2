import { foldDocuments } from '../../projections/fold/foldDocuments.js';
import { fenceIdsOf, foldFences } from '../../projections/fold/foldFences.js';
import type { Projection } from '../../projections/models/projection.js';
import { decodeRecord } from '../../projections/runtime/readRecords.js';
import { recordIdOf } from '../../shared/log/encoding/cloudEvent.js';
import type { OutgoingRecord, RawRecord } from '../../shared/log/encoding/record.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import type { FenceDocument } from '../../shared/store/models/fences.js';
import { rawRecord } from '../support/records.js';
import { partitionCount } from './foldedLog.js';

/** A record in the partition to which it is appended. */
export interface Appended {
  readonly partition: number;
  readonly lease: number | null;
  readonly record: OutgoingRecord;
  readonly isFence: boolean;
}

export function logOf(all: readonly Appended[]): readonly (readonly RawRecord[])[] {
  return Array.from({ length: partitionCount }, (_, partition) =>
    all
      .filter((arrival) => arrival.partition === partition)
      .map(({ record }, offset) => rawRecord(record, { partition, offset })),
  );
}

/**
 * The log without fences, and without the commands that follow a fence with a higher number in their partition.
 * @param concerns whether a fence concerns a command
 */
export function effectiveLog(
  all: readonly Appended[],
  concerns: (fence: Appended, command: Appended) => boolean,
): readonly (readonly RawRecord[])[] {
  const isStale = (arrival: Appended, index: number) =>
    all
      .slice(0, index)
      .some(
        (fence) =>
          fence.isFence &&
          fence.partition === arrival.partition &&
          concerns(fence, arrival) &&
          (fence.lease ?? 0) > (arrival.lease ?? Number.POSITIVE_INFINITY),
      );
  const dropped = new Set(
    all
      .filter((arrival, index) => arrival.isFence || isStale(arrival, index))
      .map(({ record }) => record.headers['ce_id']),
  );
  return logOf(all).map((records) => records.filter((record) => !dropped.has(recordIdOf(record))));
}

/** The documents and the fences of a model. */
export interface Stored<Model extends ModelDocument> {
  readonly documents: Map<string, Model>;
  readonly fences: Map<string, FenceDocument>;
}

/**
 * Folds these batches, as the projections do.
 * @param deaths the batches of which only the fences are written at first, as if the process had crashed
 */
export function foldFenced<Model extends ModelDocument>(
  projection: Projection<Model>,
  batches: readonly (readonly RawRecord[])[],
  deaths: readonly boolean[] = [],
): Stored<Model> {
  const documents = new Map<string, Model>();
  const fences = new Map<string, FenceDocument>();
  const foldOne = (batch: readonly RawRecord[], dies: boolean) => {
    const records = batch.map((record) => {
      const decoded = decodeRecord(projection, record);
      if (!decoded.readable) {
        throw new Error(decoded.reason);
      }
      return decoded.content;
    });
    const loaded = new Map([...fences].filter(([id]) => fenceIdsOf(records).includes(id)));
    const { changes, effective } = foldFences(loaded, records);
    changes.forEach(({ after }) => fences.set(after._id, after));
    const written = dies ? [] : foldDocuments(documents, effective);
    written.forEach(({ after }) => documents.set(after._id, after));
  };
  for (const [index, batch] of batches.entries()) {
    if (deaths[index] === true) {
      foldOne(batch, true);
    }
    foldOne(batch, false);
  }
  return { documents, fences };
}
