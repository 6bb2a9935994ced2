import { nameOfPosition, type DeadLetter } from '../../shared/log/records/deadLetter.js';
import type { RecordPosition } from '../../shared/log/encoding/record.js';
import { CommandFailure } from '../terminal/commandFailure.js';
import { readEntries, type DeadLetterSource } from './pendingDeadLetters.js';
import { bytesOf, type PrintableBytes } from '../terminal/printableBytes.js';

/** The content of the dead-letter topic about one record. */
export interface ShownDeadLetter {
  readonly position: string;
  /** Whether the record was redriven. The list of dead letters omits a redriven record. */
  readonly redriven: boolean;
  readonly redrivenFrom: readonly string[];
  readonly refusals: readonly { readonly group: string; readonly reason: string; readonly at: string }[];
  readonly key: PrintableBytes | null;
  readonly headers: readonly { readonly name: string; readonly value: PrintableBytes }[];
  readonly value: PrintableBytes | null;
}

/**
 * The number of shown rejections. A consumer group rejects a record once, and again after the group has restarted from
 * the first offset.
 */
const shownRefusals = 100;

/** @throws CommandFailure if no dead letter has this position */
export async function showDeadLetter(
  source: DeadLetterSource,
  position: RecordPosition,
): Promise<ShownDeadLetter> {
  const name = nameOfPosition(position);
  const found: DeadLetter[] = [];
  let redriven = false;
  await readEntries(source, position.topic, {
    onLetters: (letters) => {
      const own = letters.filter((letter) => nameOfPosition(letter.position) === name);
      found.push(...own.slice(0, shownRefusals - found.length));
      return Promise.resolve();
    },
    onRedriven: (other) => {
      redriven ||= nameOfPosition(other) === name;
    },
  });
  const [letter] = found;
  if (letter === undefined) {
    throw new CommandFailure(
      `Dead letter ${name} does not exist. \`postrider dlq list\` lists all dead letters.`,
    );
  }
  return {
    position: name,
    redriven,
    redrivenFrom: letter.redrivenFrom,
    refusals: found.map(({ group, reason, at }) => ({ group, reason, at: at.toISOString() })),
    key: letter.key === null ? null : bytesOf(letter.key),
    headers: headersOf(letter),
    value: letter.value === null ? null : bytesOf(letter.value),
  };
}

function headersOf({ headers }: DeadLetter): ShownDeadLetter['headers'] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => ({ name, value: bytesOf(Buffer.from(one)) })),
  );
}
