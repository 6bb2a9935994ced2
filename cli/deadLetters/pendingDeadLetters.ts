import { createTopicScan, type ScanProgress, type ScanTopic } from '../../shared/log/client/topicScan.js';
import { createRedrive, type Redrive } from '../../shared/log/deadLetters/redrive.js';
import type { RecordPosition } from '../../shared/log/encoding/record.js';
import { readDeadLetter, type DeadLetter, nameOfPosition } from '../../shared/log/records/deadLetter.js';
import { deadLetterTopic, fullTopicName, type TopicName } from '../../shared/log/topics/names.js';
import type { Config } from '../../shared/settings/config.js';
import { withKafka } from '../environment/stores.js';

/** Receives the progress while dead letters are read. */
export type OnProgress = (topic: TopicName, progress: ScanProgress) => void;

export interface DeadLetterSource {
  readonly scan: ScanTopic;
  readonly prefix: string;
  readonly onProgress: OnProgress;
}

/** The dead letters of one topic whose records were not redriven. */
export interface PendingDeadLetters {
  readonly topic: TopicName;
  readonly positions: PositionSet;
}

type TakeLetters = (letters: readonly DeadLetter[]) => Promise<void>;

/**
 * Finds the positions of records that match a filter and were not redriven, by topic. A redrive marker follows the dead
 * letter that it marks, so the result is known only after the whole topic is read. A later read then loads the content
 * of the selected records only.
 */
export async function findPending(
  source: DeadLetterSource,
  filter: DeadLetterFilter,
): Promise<readonly PendingDeadLetters[]> {
  const found: PendingDeadLetters[] = [];
  for (const topic of filter.topics) {
    const positions = createPositionSet();
    const redriven = createPositionSet();
    await readEntries(source, topic, {
      onLetters: (letters) => {
        letters
          .filter((letter) => matches(filter, letter, source.prefix))
          .forEach(({ position }) => {
            positions.add(position);
          });
        return Promise.resolve();
      },
      onRedriven: redriven.add,
    });
    for (const position of redriven.positions()) {
      positions.delete(position);
    }
    found.push({ topic, positions });
  }
  return found;
}

/** Reads the dead letters of pending records, from every consumer group. */
export async function readPending(
  source: DeadLetterSource,
  { topic, positions }: PendingDeadLetters,
  take: TakeLetters,
): Promise<void> {
  if (positions.size > 0) {
    const onLetters: TakeLetters = (letters) =>
      take(letters.filter(({ position }) => positions.has(position)));
    await readEntries(source, topic, { onLetters, onRedriven: () => undefined });
  }
}

interface Handlers {
  readonly onLetters: TakeLetters;
  readonly onRedriven: (position: DeadLetter['position']) => void;
}

export async function readEntries(
  { scan, prefix, onProgress }: DeadLetterSource,
  topic: TopicName,
  { onLetters, onRedriven }: Handlers,
): Promise<void> {
  await scan(deadLetterTopic(fullTopicName(prefix, topic)), async (records, progress) => {
    onProgress(topic, progress);
    const entries = records.map((record) => readDeadLetter(topic, record));
    for (const entry of entries) {
      if (entry.kind === 'redriven') {
        onRedriven(entry.position);
      }
    }
    await onLetters(entries.flatMap((entry) => (entry.kind === 'letter' ? [entry.letter] : [])));
  });
}

export function countPending(open: readonly PendingDeadLetters[]): number {
  return open.reduce((sum, { positions }) => sum + positions.size, 0);
}

/** Access to the dead letters of a service, to read and redrive them. */
interface DeadLetterDesk extends DeadLetterSource {
  readonly redrive: Redrive;
}

/** Runs `work` on the dead letters of a service, and closes the connections afterwards. */
export function withDeadLetters<Result>(
  config: Config,
  onProgress: OnProgress,
  work: (desk: DeadLetterDesk) => Promise<Result>,
): Promise<Result> {
  const { prefix } = config.topics;
  return withKafka(config, async (kafka) => {
    const producer = kafka.producer({ allowAutoTopicCreation: false });
    await producer.connect();
    const redrive = createRedrive({ producer, prefix, clock: () => new Date() });
    try {
      return await work({ scan: createTopicScan(kafka, prefix), prefix, onProgress, redrive });
    } finally {
      await producer.disconnect();
    }
  });
}

type RecordOffset = Pick<RecordPosition, 'partition' | 'offset'>;

/**
 * A set of record positions in one topic. A million positions take about 40 MB, and the set contains nothing else of a
 * dead letter.
 */
interface PositionSet {
  readonly size: number;
  add: (place: RecordOffset) => void;
  has: (place: RecordOffset) => boolean;
  delete: (place: RecordOffset) => void;
  positions: () => Iterable<RecordOffset>;
}

function createPositionSet(): PositionSet {
  const offsets = new Map<number, Set<number>>();
  let size = 0;

  return {
    get size() {
      return size;
    },
    add: ({ partition, offset }) => {
      const own = offsets.get(partition) ?? new Set();
      offsets.set(partition, own);
      size += own.has(offset) ? 0 : 1;
      own.add(offset);
    },
    has: ({ partition, offset }) => offsets.get(partition)?.has(offset) ?? false,
    delete: ({ partition, offset }) => {
      size -= offsets.get(partition)?.delete(offset) === true ? 1 : 0;
    },
    *positions() {
      for (const [partition, own] of offsets) {
        for (const offset of own) {
          yield { partition, offset };
        }
      }
    },
  };
}

/** The selection of dead letters for a command. A field that is null selects all dead letters. */
export interface DeadLetterFilter {
  readonly topics: readonly TopicName[];
  /** The consumer group, with or without the prefix of the topics. */
  readonly group: string | null;
  /** A part of the reason, without distinction of upper and lower case. */
  readonly reason: string | null;
  readonly since: Date | null;
  readonly until: Date | null;
  readonly position: RecordPosition | null;
  /**
   * Whether to exclude the dead letters of read models that cannot fold a record. A rebuild folds such a record, and a
   * redrive does not.
   */
  readonly isRedrive?: boolean;
}

function matches(filter: DeadLetterFilter, letter: DeadLetter, prefix: string): boolean {
  const { group, reason, position } = filter;
  return (
    (group === null || [group, `${prefix}${group}`].includes(letter.group)) &&
    (reason === null || letter.reason.toLowerCase().includes(reason.toLowerCase())) &&
    (position === null || nameOfPosition(letter.position) === nameOfPosition(position)) &&
    isTaken(filter, letter) &&
    isWithin(filter, letter.at)
  );
}

function isTaken({ isRedrive = false }: DeadLetterFilter, { model }: DeadLetter): boolean {
  return !isRedrive || model === null;
}

function isWithin({ since, until }: DeadLetterFilter, at: Date): boolean {
  return (since === null || at >= since) && (until === null || at < until);
}
