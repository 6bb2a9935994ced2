import type { DeadLetter } from '../../shared/topics/deadLetter.js';
import type { TopicName } from '../../shared/topics/names.js';
import type { RecordPosition } from '../../shared/topics/record.js';

/** Which dead letters a command is about; what is null leaves all. */
export interface DeadLetterFilter {
  readonly topics: readonly TopicName[];
  /** With or without the prefix of the topics. */
  readonly group: string | null;
  /** A part of the reason, in any case. */
  readonly reason: string | null;
  readonly since: Date | null;
  readonly until: Date | null;
  readonly position: RecordPosition | null;
}

export function matches(filter: DeadLetterFilter, letter: DeadLetter, prefix: string): boolean {
  const { group, reason, since, until, position } = filter;
  return (
    (group === null || letter.group === group || letter.group === `${prefix}${group}`) &&
    (reason === null || letter.reason.toLowerCase().includes(reason.toLowerCase())) &&
    (since === null || letter.at >= since) &&
    (until === null || letter.at < until) &&
    (position === null || isSame(letter.position, position))
  );
}

function isSame(one: RecordPosition, other: RecordPosition): boolean {
  return one.topic === other.topic && one.partition === other.partition && one.offset === other.offset;
}
