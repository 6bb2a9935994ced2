import { nameOfPosition, type DeadLetter } from '../../shared/log/records/deadLetter.js';
import type { TopicName } from '../../shared/log/topics/names.js';
import type { RecordPosition } from '../../shared/log/encoding/record.js';

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

export function matches(filter: DeadLetterFilter, letter: DeadLetter, prefix: string): boolean {
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
