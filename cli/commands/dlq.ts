import type { Command } from 'commander';

import type { RecordPosition } from '../../shared/log/encoding/record.js';
import { nameOfPosition } from '../../shared/log/records/deadLetter.js';
import { topicNames, type TopicName } from '../../shared/log/topics/names.js';
import { listDeadLetters } from '../deadLetters/list.js';
import {
  type DeadLetterFilter,
  countPending,
  findPending,
  withDeadLetters,
  type OnProgress,
} from '../deadLetters/pendingDeadLetters.js';
import { redrivePending } from '../deadLetters/redrivePending.js';
import { describeList, describeOne, showDeadLetter } from '../deadLetters/show.js';
import { readConfig } from '../environment/environment.js';
import { logOperatorCommand } from '../environment/operator.js';
import { readCount, readMoment, readPosition, readTopic } from '../terminal/arguments.js';
import { confirmed } from '../terminal/confirmation.js';

import { CommandFailure, createProgress, print } from '../terminal/output.js';
interface FilterOptions {
  readonly topic?: TopicName;
  readonly group?: string;
  readonly reason?: string;
  readonly since?: Date;
  readonly until?: Date;
}

interface ListOptions extends FilterOptions {
  readonly limit: number;
  readonly json?: boolean;
}

interface RedriveOptions extends FilterOptions {
  readonly all?: boolean;
  readonly limit?: number;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const defaultLimit = 50;

const listHelp = `
If several groups reject a record, the list contains the record once, with all of these groups. Positions have the form
TOPIC/PARTITION/OFFSET, as in log lines. A position is that of the rejected record, not of the dead letter. The list is
sorted by topic, and contains the first rejected record of each topic first.`;

const redriveHelp = `
Appends each record to its topic again, byte for byte, once for all groups that rejected it. The header "dlq_redriven"
contains the earlier position of the record. "postrider dlq list" does not show redriven records. Before a redrive, fix
the cause. A record that still cannot be read returns to the dead letters with the header "dlq_redriven". One run of the
command redrives a record only once.

If only a read model could not fold a record, the command does not redrive the record, because all other groups have
processed it. Fix the cause, then run \`postrider rebuild MODEL\` to fold the record at its position. The dead letter is
listed until its retention ends.

Pass one POSITION, a filter, or --all. Groups that have already processed a record ignore its copy, because its ce_id is
the same. So it is safe to repeat an interrupted command, although the records of its last batch may then be in the
topic twice.`;

export function addDlqCommands(program: Command): void {
  const dlq = program.command('dlq');
  addListCommand(dlq);
  addShowCommand(dlq);
  addRedriveCommand(dlq);
}

function addListCommand(dlq: Command): void {
  addFilterOptions(dlq.command('list').description('list the dead letters that were not redriven'))
    .option('--limit <number>', 'the maximum number of records', readCount, defaultLimit)
    .option('--json', 'print JSON')
    .addHelpText('after', listHelp)
    .action(async (options: ListOptions) => {
      const config = await readConfig();
      const list = await withDeadLetters(config, tellProgress(), (desk) =>
        listDeadLetters(desk, filterOf(options, null), options.limit),
      );
      logOperatorCommand(config, 'dlq list');
      print(options.json === true ? list : describeList(list));
    });
}

function addShowCommand(dlq: Command): void {
  dlq
    .command('show')
    .description('print a dead letter with its reason, headers and value')
    .argument('<position>', 'the position of the record, as the list prints it: events/3/1042', readPosition)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nBinary data is printed in hexadecimal digits.')
    .action(async (position: RecordPosition, options: { json?: boolean }) => {
      const config = await readConfig();
      const shown = await withDeadLetters(config, tellProgress(), (desk) => showDeadLetter(desk, position));
      logOperatorCommand(config, 'dlq show', { position: nameOfPosition(position) });
      print(options.json === true ? shown : describeOne(shown));
    });
}

function addRedriveCommand(dlq: Command): void {
  addFilterOptions(dlq.command('redrive').description('append dead letters to their topics again'))
    .argument('[position]', 'redrive one record, by its position in the list: events/3/1042', readPosition)
    .option('--all', 'redrive all listed records')
    .option('--limit <number>', 'the maximum number of records', readCount)
    .option('--yes', 'skip the confirmation')
    .option('--json', 'print JSON')
    .addHelpText('after', redriveHelp)
    .action(redrive);
}

async function redrive(
  position: RecordPosition | undefined,
  options: RedriveOptions,
  command: Command,
): Promise<void> {
  const ways = [position !== undefined, namesFilter(options), options.all === true];
  if (ways.filter(Boolean).length !== 1) {
    command.error('error: pass a POSITION, a filter such as --topic or --reason, or --all', { exitCode: 2 });
  }
  const filter = filterOf(options, position ?? null);
  const config = await readConfig();
  const { redriven, unfolded } = await withDeadLetters(config, tellProgress(), async (desk) => {
    const open = await findPending(desk, { ...filter, isRedrive: true });
    const found = countPending(open);
    const others = countPending(await findPending(desk, filter)) - found;
    const count = Math.min(found, options.limit ?? Infinity);
    refuseNothing(found + others, position);
    await askFirst(count, options);
    logOperatorCommand(config, 'dlq redrive', { records: count, ...describedChoice(position, options) });
    return {
      redriven: await redrivePending(desk, open, { redrive: desk.redrive, limit: count }),
      unfolded: others,
    };
  });
  print(options.json === true ? { redriven, unfolded } : describeRedriven(redriven, unfolded));
}

/** The selection of dead letters as fields of the security log. */
function describedChoice(position: RecordPosition | undefined, options: RedriveOptions) {
  const { topic, group, reason, since, until } = options;
  return position === undefined
    ? { topic, group, reason, since, until }
    : { position: nameOfPosition(position) };
}

function describeRedriven(redriven: number, unfolded: number): string {
  const hint =
    'Fix the cause, then run `postrider rebuild` for the read model that the reason of the ' +
    'dead letter names.';
  return [
    `Redriven: ${records(redriven)}.`,
    ...(unfolded > 0
      ? [`Not redriven, because only a read model cannot fold them: ${records(unfolded)}. ${hint}`]
      : []),
  ].join('\n');
}

function refuseNothing(count: number, position: RecordPosition | undefined): void {
  if (count === 0 && position !== undefined) {
    const name = nameOfPosition(position);
    throw new CommandFailure(
      `${name} is not a dead letter, or was already redriven. \`postrider dlq show ${name}\` shows its state.`,
    );
  }
}

async function askFirst(count: number, { yes }: RedriveOptions): Promise<void> {
  const question = `Append ${records(count)} again?`;
  if (count > 0 && yes !== true && !(await confirmed(question, `redriving ${records(count)}`))) {
    throw new CommandFailure('No record was redriven.');
  }
}

function records(count: number): string {
  return count === 1 ? '1 record' : `${count} records`;
}

function addFilterOptions(command: Command): Command {
  return command
    .option('--topic <topic>', `only dead letters of this topic: ${topicNames.join(', ')}`, readTopic)
    .option('--group <group>', 'only dead letters of this consumer group')
    .option('--reason <text>', 'only dead letters with this text in the reason')
    .option(
      '--since <time>',
      'only records that were rejected at or after this time, such as 2026-11-21T10:00:00Z, or an ' +
        'age such as 24h',
      readMoment,
    )
    .option('--until <time>', 'only records that were rejected before this time', readMoment);
}

function namesFilter({ topic, group, reason, since, until }: FilterOptions): boolean {
  return [topic, group, reason, since, until].some((value) => value !== undefined);
}

function filterOf(options: FilterOptions, position: RecordPosition | null): DeadLetterFilter {
  const topic = position?.topic ?? options.topic;
  return {
    topics: topic === undefined ? topicNames : [topic],
    group: options.group ?? null,
    reason: options.reason ?? null,
    since: options.since ?? null,
    until: options.until ?? null,
    position,
  };
}

function tellProgress(): OnProgress {
  const progress = createProgress();
  return (topic, { read, of }) => {
    progress(() => `${topic}: ${read} of ${of} dead letters read …`);
  };
}
