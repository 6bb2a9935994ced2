import { nameOfPosition, type DeadLetter } from '../../shared/log/records/deadLetter.js';
import type { DeadLetterFilter } from './filter.js';
import { countOpen, findOpen, readOpen, type DeadLetterSource } from './openDeadLetters.js';

/** A record that could not be read, whichever groups have said so. */
export interface ListedDeadLetter {
  readonly position: string;
  readonly groups: readonly string[];
  /** Of the first that has refused it. */
  readonly reason: string;
  readonly firstRefusedAt: string;
  readonly lastRefusedAt: string;
  /** Where it stood before it was redriven, the oldest position first. */
  readonly redrivenFrom: readonly string[];
}

export interface DeadLetterList {
  readonly data: readonly ListedDeadLetter[];
  /** How many there are in all that match. */
  readonly total: number;
}

/** The records that match, topic by topic, first refused first: each position once, and `limit` at most. */
export async function listDeadLetters(
  source: DeadLetterSource,
  filter: DeadLetterFilter,
  limit: number,
): Promise<DeadLetterList> {
  const open = await findOpen(source, filter);
  const listed = new Map<string, ListedDeadLetter>();
  for (const ofTopic of open) {
    if (listed.size < limit) {
      await readOpen(source, ofTopic, (letters) => {
        letters.forEach((letter) => {
          addTo(listed, letter, limit);
        });
        return Promise.resolve();
      });
    }
  }
  return { data: [...listed.values()], total: countOpen(open) };
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
    ...{ position: nameOfPosition(position), groups: [group], reason, redrivenFrom },
    firstRefusedAt: at.toISOString(),
    lastRefusedAt: at.toISOString(),
  };
}

/** Groups refuse beside each other: the letter of who says so first may stand behind that of another. */
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
