import { UnavailableError, messageOf } from '../../shared/core/errors.js';
import {
  nameOfPartition,
  type TopicPartition,
  type TopicPartitionOffset,
} from '../../shared/log/client/topicPartition.js';
import { RejectedDocumentsError } from '../../shared/store/generations/rejectedDocuments.js';

/** A record that a read model cannot fold, however often it retries. */
export interface PoisonRecord extends TopicPartitionOffset {
  readonly reason: string;
}

/** The error of a fold that failed on the content of its records. */
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

/** Runs the pure code of a fold, whose errors are faults of the records or of the code: a retry does not help. */
export async function runFold<Result>(fold: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await fold();
  } catch (error) {
    throw error instanceof UnavailableError ? error : new FoldError(messageOf(error), { cause: error });
  }
}

/**
 * Folds records in their order, and bisects the batch to find the records that cannot be folded. A failure that may be
 * an outage is thrown at once.
 * @returns the records that fail even when each is folded alone
 */
export async function isolatePoison<Item>(
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
    const before = await isolatePoison(items.slice(0, middle), fold);
    return [...before, ...(await isolatePoison(items.slice(middle), fold))];
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
 * The poison records above the positions of a model. A fold has only references to the records. So the runner reads the
 * poison records from the log again, and appends them to the dead letters instead of folding them.
 */
export interface PoisonRecords {
  add: (records: readonly PoisonRecord[]) => void;
  /** Why a record cannot be folded, or null if the record is not known as poison. */
  reasonOf: (record: TopicPartitionOffset) => string | null;
  /** Notes that a record has a dead letter, so that no second dead letter is appended when the batch is read again. */
  noteDeadLettered: (record: TopicPartitionOffset) => void;
  isDeadLettered: (record: TopicPartitionOffset) => boolean;
  /** Drops the poison records below the given positions. */
  dropBelow: (positions: readonly TopicPartitionOffset[]) => void;
}

export function createPoisonRecords(): PoisonRecords {
  let known: ReadonlyMap<string, PoisonRecord> = new Map();
  const deadLettered = new Set<string>();
  return {
    add: (records) => {
      known = new Map([...known, ...records.map((record) => [nameOf(record), record] as const)]);
    },
    reasonOf: (record) => (known.size === 0 ? null : (known.get(nameOf(record))?.reason ?? null)),
    noteDeadLettered: (record) => {
      deadLettered.add(nameOf(record));
      // A second dead letter of a record does no harm, so only the last dead letters are remembered.
      const [oldest] = deadLettered.size > rememberedDeadLetters ? deadLettered : [];
      deadLettered.delete(oldest ?? '');
    },
    isDeadLettered: (record) => deadLettered.size > 0 && deadLettered.has(nameOf(record)),
    dropBelow: (positions) => {
      const from = new Map(positions.map((position) => [nameOfPartition(position), position.offset]));
      const isAhead = (record: PoisonRecord) =>
        record.offset >= (from.get(nameOfPartition(record)) ?? Infinity);
      known = new Map([...known].filter(([, record]) => isAhead(record)));
    },
  };
}

const rememberedDeadLetters = 1000;

function nameOf({ offset, ...partition }: TopicPartition & { readonly offset: number }): string {
  return `${nameOfPartition(partition)}/${offset}`;
}
