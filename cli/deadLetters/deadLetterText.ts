import { renderTable } from '../terminal/table.js';
import type { DeadLetterList, ListedDeadLetter } from './list.js';
import type { ShownDeadLetter } from './show.js';
import { onOneLine, type PrintableBytes } from '../terminal/printableBytes.js';

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
