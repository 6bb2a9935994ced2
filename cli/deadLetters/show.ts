import type { RecordPosition } from '../../shared/log/encoding/record.js';
import { nameOfPosition, type DeadLetter } from '../../shared/log/records/deadLetter.js';
import { CommandFailure } from '../terminal/output.js';
import { bytesOf, type PrintableBytes, onOneLine } from '../terminal/printableBytes.js';
import { renderTable } from '../terminal/table.js';
import type { DeadLetterList, ListedDeadLetter } from './list.js';
import { readEntries, type DeadLetterSource } from './pendingDeadLetters.js';

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

const columns = [{ head: 'POSITION' }, { head: 'REFUSED' }, { head: 'GROUPS' }, { head: 'REASON' }];
/**
 * The longest reason of a dead letter in the list. A reason may quote the rejected value. `show` and the JSON output
 * contain the whole reason.
 */
const longestReason = 80;

export function describeList({ data, total }: DeadLetterList): string {
  if (total === 0) {
    return 'There are no dead letters.';
  }
  const table = renderTable(columns, data.map(rowOf));
  return total > data.length
    ? `${table}\n${data.length} of ${total}. Raise --limit to see more dead letters, or add a filter to see fewer.`
    : table;
}

function rowOf({ position, firstRefusedAt, groups, reason }: ListedDeadLetter): readonly string[] {
  const line = onOneLine(reason);
  const shortened = line.length > longestReason ? `${line.slice(0, longestReason - 1)}…` : line;
  return [position, firstRefusedAt, groups.map(onOneLine).join(', '), shortened];
}

export function describeOne(shown: ShownDeadLetter): string {
  const { position, redriven, redrivenFrom, refusals, key, headers, value } = shown;
  return [
    `Position  ${position}${redriven ? ' (redriven)' : ''}`,
    ...redrivenFrom.map((from) => `Was at    ${onOneLine(from)}`),
    ...refusals.map(
      ({ group, reason, at }) => `Rejected  ${at} by ${onOneLine(group)}: ${onOneLine(reason)}`,
    ),
    `Key       ${textOf(key)}`,
    ...headers.map(({ name, value: header }) => `Header    ${onOneLine(name)}: ${textOf(header)}`),
    `Value     ${textOf(value)}`,
  ].join('\n');
}

function textOf(bytes: PrintableBytes | null): string {
  if (bytes === null) {
    return 'none';
  }
  return bytes.encoding === 'text' ? bytes.text : `0x${bytes.text}`;
}
