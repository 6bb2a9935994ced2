/** What came of one list, the last time that all of it was tried. */
export interface ListRun {
  readonly list: string;
  readonly entries: number;
  readonly noticed: number;
  readonly seconds: number;
  /** ISO 8601, to the minute. */
  readonly date: string;
  readonly commit: string;
}

const columns = ['list', 'entries', 'noticed', 'seconds', 'date', 'commit'] as const;

const introduction = `# Mutations

\`npm run mutations -- --summary\` breaks the code on purpose, in one way of each list at a time, and requires that the test that the list
names goes red. A row says what came of a list the last time that all of it was tried, on that commit.
`;

/** The runs that a summary tells of; none where it is empty. */
export function readSummary(text: string): readonly ListRun[] {
  return text
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .flatMap(([, list = '', entries, noticed, seconds, date = '', commit = '']) =>
      /^\d+$/.test(entries ?? '')
        ? [
            {
              ...{ list, date, commit },
              ...{ entries: Number(entries), noticed: Number(noticed), seconds: Number(seconds) },
            },
          ]
        : [],
    );
}

/** A summary of these runs: of two of one list the later one counts. */
export function writeSummary(runs: readonly ListRun[]): string {
  const latest = [...new Map(runs.map((run) => [run.list, run])).values()].toSorted((one, other) =>
    one.list < other.list ? -1 : 1,
  );
  const rows = latest.map((run) => columns.map((column) => String(run[column])));
  return `${introduction}\n${table([[...columns], ...rows])}\n\n${totalOf(latest)}\n`;
}

function totalOf(runs: readonly ListRun[]): string {
  const sum = (count: (run: ListRun) => number) => runs.reduce((total, run) => total + count(run), 0);
  return `${sum(({ noticed }) => noticed)} of ${sum(({ entries }) => entries)} were noticed.`;
}

/** As the formatter lays tables out. */
function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = head.map((_, index) =>
    Math.max(3, ...[head, ...rows].map((row) => (row[index] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  return [line(head), rule, ...rows.map(line)].join('\n');
}
