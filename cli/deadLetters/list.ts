import { nameOfPosition, type DeadLetter } from '../../shared/log/records/deadLetter.js';
import {
  type DeadLetterFilter,
  countPending,
  findPending,
  readPending,
  type DeadLetterSource,
} from './pendingDeadLetters.js';

/** A record that one or more consumer groups could not read. */
export interface ListedDeadLetter {
  readonly position: string;
  readonly groups: readonly string[];
  /** The reason of the first consumer group that rejected the record. */
  readonly reason: string;
  readonly firstRefusedAt: string;
  readonly lastRefusedAt: string;
  /** The positions that the record had before it was redriven, oldest first. */
  readonly redrivenFrom: readonly string[];
}

export interface DeadLetterList {
  readonly data: readonly ListedDeadLetter[];
  /** The number of all matching records. */
  readonly total: number;
}

/**
 * Lists the matching records by topic, the first rejected record first. The list contains each position once, and at
 * most `limit` positions.
 */
export async function listDeadLetters(
  source: DeadLetterSource,
  filter: DeadLetterFilter,
  limit: number,
): Promise<DeadLetterList> {
  const open = await findPending(source, filter);
  const listed = new Map<string, ListedDeadLetter>();
  for (const ofTopic of open) {
    if (listed.size < limit) {
      await readPending(source, ofTopic, (letters) => {
        letters.forEach((letter) => {
          addTo(listed, letter, limit);
        });
        return Promise.resolve();
      });
    }
  }
  return { data: [...listed.values()], total: countPending(open) };
}

function addTo(listed: Map<string, ListedDeadLetter>, letter: DeadLetter, limit: number): void {
  const position = nameOfPosition(letter.position);
  const known = listed.get(position);
  if (known === undefined && listed.size >= limit) {
    return;
  }
  listed.set(position, known === undefined ? listedOf(letter) : withLetter(known, letter));
}

function listedOf({ position, group, reason, at, redrivenFrom }: DeadLetter): ListedDeadLetter {
  return {
    position: nameOfPosition(position),
    groups: [group],
    reason,
    redrivenFrom,
    firstRefusedAt: at.toISOString(),
    lastRefusedAt: at.toISOString(),
  };
}

/**
 * Consumer groups reject records in parallel. A dead letter with an earlier time may therefore follow that of another
 * group.
 */
function withLetter(known: ListedDeadLetter, letter: DeadLetter): ListedDeadLetter {
  const { group, reason, redrivenFrom } = letter;
  const at = letter.at.toISOString();
  return {
    ...known,
    groups: [...new Set([...known.groups, group])],
    ...(at < known.firstRefusedAt ? { reason, firstRefusedAt: at } : {}),
    lastRefusedAt: at > known.lastRefusedAt ? at : known.lastRefusedAt,
    redrivenFrom,
  };
}
