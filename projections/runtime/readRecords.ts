import type { SharedTurns, Steps } from '../../shared/concurrency/sharedTurns.js';
import type { DeletedAccounts } from '../../shared/accounts/deletedAccounts.js';
import { messageOf } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';
import type { AccountKeys } from '../../shared/encryption/accountKeys.js';
import { unsealRecords } from '../../shared/encryption/sealedRecords.js';
import type { DeadLetters, UnfoldedRecord } from '../../shared/log/deadLetters/deadLetters.js';
import { accountIdOf } from '../../shared/log/encoding/cloudEvent.js';
import type { Decoded, RawRecord } from '../../shared/log/encoding/record.js';
import { readFencing } from '../../shared/log/records/fence.js';
import { accountKeysTopic, fullTopicName } from '../../shared/log/topics/names.js';
import type { ErasedLives } from '../../shared/tenants/erasedLives.js';
import type { Metrics } from '../../shared/runtime/metrics.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import { recordReference, type DecodedRecord } from '../fold/foldDocuments.js';
import type { PoisonRecords } from '../fold/poisonRecords.js';
import type { FilteredProjection, Projection } from '../models/projection.js';

export interface RecordReader<Model extends ModelDocument> {
  readonly projection: Projection<Model>;
  readonly deadLetters: DeadLetters;
  readonly filterAndDecrypt: FilterAndDecrypt;
  /** The records that an earlier fold has failed on. */
  readonly poison: Pick<PoisonRecords, 'reasonOf' | 'noteDeadLettered' | 'isDeadLettered'>;
  /** The turns in which the models of this process decode and fold records. */
  readonly turns: SharedTurns;
}

type ReadResult<Model extends ModelDocument> =
  | Decoded<DecodedRecord<Model>>
  | { readonly readable: false; readonly reason: string; readonly unfolded: UnfoldedRecord };

/**
 * Decodes the records that a model folds. A record that cannot be decoded, or that an earlier fold has failed on,
 * becomes a dead letter. If the dead letter cannot be appended, the batch fails and is retried.
 * @param records records of one partition
 */
export async function readOrDeadLetter<Model extends ModelDocument>(
  reader: RecordReader<Model>,
  records: readonly RawRecord[],
): Promise<readonly DecodedRecord<Model>[]> {
  const readable: DecodedRecord<Model>[] = [];
  const filtered = await reader.filterAndDecrypt(records);
  for (const { record, read } of await reader.turns.run(readAll(reader, filtered))) {
    if (read.readable) {
      readable.push(read.content);
    } else if (!reader.poison.isDeadLettered(record)) {
      // The dead letter contains the bytes of the log: a dead letter of a sealed record stays sealed.
      const stored = records.find(({ offset }) => offset === record.offset) ?? record;
      await reader.deadLetters.append(stored, read.reason, 'unfolded' in read ? read.unfolded : undefined);
      reader.poison.noteDeadLettered(record);
    }
  }
  return readable;
}

/**
 * Reads records in steps. The decoding of a full fetch takes longer than a second if other programs take the processor,
 * and a probe of readiness must not wait for it.
 */
function* readAll<Model extends ModelDocument>(
  reader: RecordReader<Model>,
  records: readonly RawRecord[],
): Steps<readonly { readonly record: RawRecord; readonly read: ReadResult<Model> }[]> {
  const results = [];
  for (const record of records) {
    results.push({ record, read: readRecord(reader, record) });
    yield;
  }
  return results;
}

/** Decodes one record. A fence changes no document of the model: it decides which later records are folded. */
export function decodeRecord<Model extends ModelDocument>(
  projection: Pick<Projection<Model>, 'read'>,
  record: RawRecord,
): Decoded<DecodedRecord<Model>> {
  const fencing = readFencing(record);
  if (!fencing.readable) {
    return fencing;
  }
  if (fencing.content?.kind === 'fence') {
    return {
      readable: true,
      content: { record: recordReference(record), folds: [], fencing: fencing.content },
    };
  }
  const decoded = projection.read(record);
  return decoded.readable
    ? {
        readable: true,
        content: {
          record: recordReference(record),
          folds: decoded.content,
          ...(fencing.content !== null && { fencing: fencing.content }),
        },
      }
    : decoded;
}

function readRecord<Model extends ModelDocument>(
  { projection, poison }: RecordReader<Model>,
  record: RawRecord,
): ReadResult<Model> {
  const model = projection.name;
  const unfoldable = (reason: string): ReadResult<Model> => ({
    readable: false,
    unfolded: { model },
    reason: `the read model "${model}" cannot fold the record: ${reason}`,
  });
  const reason = poison.reasonOf(record);
  if (reason !== null) {
    return unfoldable(reason);
  }
  try {
    return decodeRecord(projection, record);
  } catch (error) {
    return unfoldable(messageOf(error));
  }
}

/** Returns the records that a model folds, decrypted. */
export type FilterAndDecrypt = (records: readonly RawRecord[]) => Promise<readonly RawRecord[]>;

export interface FilterAndDecryptDependencies {
  readonly deleted: Pick<DeletedAccounts, 'ids'>;
  readonly erased: Pick<ErasedLives, 'without'>;
  readonly keys: Pick<AccountKeys, 'find'>;
}

/**
 * Drops the records of deleted accounts and of erased tenants, and decrypts all other records. The documents of a deleted
 * account or tenant were removed, and a rebuild must not restore them. If the deleted accounts, the tenants or the keys
 * cannot be read, the batch fails.
 * The batch also fails if an account that was not deleted has lost its key: otherwise its records would be missing in
 * the model.
 */
export function createFilterAndDecrypt(
  { accountDocumentsFilter, readsHeadersOnly = false, erasesTenants = false }: FilteredProjection,
  { deleted, erased, keys }: FilterAndDecryptDependencies,
): FilterAndDecrypt {
  const withoutDeleted: FilterAndDecrypt = async (records) => {
    const ids = accountDocumentsFilter === undefined ? noAccounts : await deleted.ids();
    const remaining = ids.size === 0 ? records : records.filter((record) => !ids.has(accountIdOf(record)));
    return erasesTenants ? erased.without(remaining) : remaining;
  };
  return readsHeadersOnly
    ? withoutDeleted
    : async (records) => unsealRecords(await withoutDeleted(records), keys);
}

const noAccounts: ReadonlySet<string> = new Set();

export interface UnfoldedRecordsDependencies {
  readonly deadLetters: DeadLetters;
  readonly isBuilding: () => boolean;
  readonly prefix: string;
  readonly metrics: Pick<Metrics, 'unfoldedRecords' | 'deadLetters'>;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

/**
 * Dead letters for the records that a model cannot fold, with their metric. A generation that is being built only logs
 * such records. The live generation appends their dead letters, unless the new version can read less than the live
 * version.
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
        // Records of account keys get no dead letters, because a dead letter would retain a key that the log destroys.
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
