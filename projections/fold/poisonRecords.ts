import { UnavailableError, messageOf } from '../../shared/core/errors.js';
import {
  nameOfPartition,
  type TopicPartition,
  type TopicPartitionOffset,
} from '../../shared/log/client/topicPartition.js';
import { RejectedDocumentsError } from '../../shared/store/generations/rejectedDocuments.js';

/** A record that a read model cannot fold, however often it tries. */
export interface PoisonRecord extends TopicPartitionOffset {
  readonly reason: string;
}

/** The error of a fold that threw on the content of its records. */
class FoldError extends Error {
  override readonly name = 'FoldError';
}

/** The error of a batch that contains poison records. All other records of the batch are folded. */
export class PoisonRecordsError extends Error {
  override readonly name = 'PoisonRecordsError';

  readonly records: readonly PoisonRecord[];

  constructor(records: readonly PoisonRecord[]) {
    const [first] = records;
    super(
      `${records.length} cannot be folded, first ${first === undefined ? '' : `${nameOf(first)}: ${first.reason}`}`,
    );
    this.records = records;
  }
}

/** Runs pure code of a fold: what it throws is a fault of the records, or of the code, and comes again with them. */
export function folding<Result>(fold: () => Result): Result {
  try {
    return fold();
  } catch (error) {
    throw error instanceof UnavailableError ? error : new FoldError(messageOf(error), { cause: error });
  }
}

/**
 * Folds records in their order and around those that cannot be folded. A failure that may be an outage ends it at once.
 * @returns the records that alone fail
 */
export async function foldAround<Item>(
  items: readonly Item[],
  fold: (items: readonly Item[]) => Promise<void>,
): Promise<readonly FailedItem<Item>[]> {
  try {
    await fold(items);
    return [];
  } catch (error) {
    const [first, ...others] = items;
    if (first === undefined || !isPoison(error)) {
      throw error;
    }
    if (others.length === 0) {
      return [{ item: first, reason: messageOf(error) }];
    }
    const middle = Math.floor(items.length / 2);
    const before = await foldAround(items.slice(0, middle), fold);
    return [...before, ...(await foldAround(items.slice(middle), fold))];
  }
}

export interface FailedItem<Item> {
  readonly item: Item;
  readonly reason: string;
}

function isPoison(error: unknown): boolean {
  return error instanceof FoldError || error instanceof RejectedDocumentsError;
}

/**
 * The poison records above the positions of a model. A fold finds them without their bytes: they are read from the log again, and
 * then set aside instead of folded.
 */
export interface PoisonRecords {
  add: (records: readonly PoisonRecord[]) => void;
  /** Why a record cannot be folded; null if nothing is known against it. */
  reasonOf: (record: TopicPartitionOffset) => string | null;
  /** Notes that a record was set aside: a batch that is read again sets aside none of its records twice. */
  noteSetAside: (record: TopicPartitionOffset) => void;
  isSetAside: (record: TopicPartitionOffset) => boolean;
  /** Drops all records but those at or above these positions. */
  retainFrom: (positions: readonly TopicPartitionOffset[]) => void;
}

export function createPoisonRecords(): PoisonRecords {
  let known: ReadonlyMap<string, PoisonRecord> = new Map();
  const unfoldedRecords = new Set<string>();
  return {
    add: (records) => {
      known = new Map([...known, ...records.map((record) => [nameOf(record), record] as const)]);
    },
    reasonOf: (record) => (known.size === 0 ? null : (known.get(nameOf(record))?.reason ?? null)),
    noteSetAside: (record) => {
      unfoldedRecords.add(nameOf(record));
      // A record that is set aside twice is listed once: a short memory is enough.
      const [oldest] = unfoldedRecords.size > rememberedSetAside ? unfoldedRecords : [];
      unfoldedRecords.delete(oldest ?? '');
    },
    isSetAside: (record) => unfoldedRecords.size > 0 && unfoldedRecords.has(nameOf(record)),
    retainFrom: (positions) => {
      const from = new Map(positions.map((position) => [nameOfPartition(position), position.offset]));
      const isAhead = (record: PoisonRecord) =>
        record.offset >= (from.get(nameOfPartition(record)) ?? Infinity);
      known = new Map([...known].filter(([, record]) => isAhead(record)));
    },
  };
}

const rememberedSetAside = 1000;

function nameOf({ offset, ...partition }: TopicPartition & { readonly offset: number }): string {
  return `${nameOfPartition(partition)}/${offset}`;
}
