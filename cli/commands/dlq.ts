import type { Command } from 'commander';

import { nameOfPosition } from '../../shared/log/records/deadLetter.js';
import { topicNames, type TopicName } from '../../shared/log/topics/names.js';
import type { RecordPosition } from '../../shared/log/encoding/record.js';
import { confirmed } from '../terminal/confirmation.js';
import type { DeadLetterFilter } from '../deadLetters/filter.js';
import { listDeadLetters } from '../deadLetters/list.js';
import { countOpen, findOpen, type OnProgress } from '../deadLetters/openDeadLetters.js';
import { redriveOpen } from '../deadLetters/redriveOpen.js';
import { showDeadLetter } from '../deadLetters/show.js';
import { describeList, describeOne } from '../deadLetters/text.js';
import { withDeadLetters } from '../deadLetters/withDeadLetters.js';
import { readConfig } from '../environment/environment.js';
import { CommandFailure } from '../terminal/commandFailure.js';
import { logOperatorCommand } from '../environment/operator.js';
import { print } from '../terminal/output.js';
import { createProgress } from '../terminal/progressLine.js';
import { readCount, readMoment, readPosition, readTopic } from './arguments.js';

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
A record that several groups have refused is listed once, with all of them. Positions are those of the records, not of their
dead letters: TOPIC/PARTITION/OFFSET, as the log lines have them too. Topic by topic, first refused first.`;

const redriveHelp = `
Appends the records to the topics that they come from, byte for byte, with a header "dlq_redriven" that says where they stood, and
each of them once, however many groups have refused it. Then they are not listed any more. Do it once the cause is mended: what
still cannot be read comes to the dead letters again, with that header, and is not redriven by the same command.

A record that only a read model could not fold is not appended again: all other groups have taken it. Fix the cause, then
\`postrider rebuild MODEL\` folds the record in its place. The dead letter stays listed until its retention ends.

Say one POSITION, a filter, or --all. A record that groups have read already changes nothing for them: its ce_id is the same. So a
command that is broken off may be run again; what it had appended last may then stand in the topic twice.`;

export function addDlqCommands(program: Command): void {
  const dlq = program.command('dlq').description('the dead letters: records that consumers could not read');
  addListCommand(dlq);
  addShowCommand(dlq);
  addRedriveCommand(dlq);
}

function addListCommand(dlq: Command): void {
  addFilterOptions(dlq.command('list').description('list the records that were not redriven'))
    .option('--limit <number>', 'how many at most', readCount, defaultLimit)
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
    .description('print a record: why it was refused, its headers and its value')
    .argument('<position>', 'as it is listed: events/3/1042', readPosition)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nWhat is no text is printed in hexadecimal digits.')
    .action(async (position: RecordPosition, options: { json?: boolean }) => {
      const config = await readConfig();
      const shown = await withDeadLetters(config, tellProgress(), (desk) => showDeadLetter(desk, position));
      logOperatorCommand(config, 'dlq show', { position: nameOfPosition(position) });
      print(options.json === true ? shown : describeOne(shown));
    });
}

function addRedriveCommand(dlq: Command): void {
  addFilterOptions(dlq.command('redrive').description('append records to their topics again'))
    .argument('[position]', 'one record, as it is listed: events/3/1042', readPosition)
    .option('--all', 'all that are listed')
    .option('--limit <number>', 'how many at most', readCount)
    .option('--yes', 'do not ask')
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
    command.error('error: say one POSITION, a filter such as --topic or --reason, or --all', { exitCode: 2 });
  }
  const filter = filterOf(options, position ?? null);
  const config = await readConfig();
  const { redriven, unfolded } = await withDeadLetters(config, tellProgress(), async (desk) => {
    const open = await findOpen(desk, { ...filter, isRedrive: true });
    const found = countOpen(open);
    const others = countOpen(await findOpen(desk, filter)) - found;
    const count = Math.min(found, options.limit ?? Infinity);
    refuseNothing(found + others, position);
    await askFirst(count, options);
    logOperatorCommand(config, 'dlq redrive', { records: count, ...describedChoice(position, options) });
    return {
      redriven: await redriveOpen(desk, open, { redrive: desk.redrive, limit: count }),
      unfolded: others,
    };
  });
  print(options.json === true ? { redriven, unfolded } : describeRedriven(redriven, unfolded));
}

/** What was chosen, for the security log. */
function describedChoice(position: RecordPosition | undefined, options: RedriveOptions) {
  const { topic, group, reason, since, until } = options;
  return position === undefined
    ? { topic, group, reason, since, until }
    : { position: nameOfPosition(position) };
}

function describeRedriven(redriven: number, unfolded: number): string {
  const hint = 'Fix the cause, then run `postrider rebuild` for the read model that the reason names.';
  return [
    `Redriven: ${records(redriven)}.`,
    ...(unfolded > 0
      ? [`Not appended, since only a read model cannot fold them: ${records(unfolded)}. ${hint}`]
      : []),
  ].join('\n');
}

function refuseNothing(count: number, position: RecordPosition | undefined): void {
  if (count === 0 && position !== undefined) {
    const name = nameOfPosition(position);
    throw new CommandFailure(`${name} is no dead letter, or was redriven: \`postrider dlq show ${name}\`.`);
  }
}

async function askFirst(count: number, { yes }: RedriveOptions): Promise<void> {
  const question = `Append ${records(count)} again?`;
  if (count > 0 && yes !== true && !(await confirmed(question, `appends ${records(count)}`))) {
    throw new CommandFailure('Nothing was redriven.');
  }
}

function records(count: number): string {
  return count === 1 ? '1 record' : `${count} records`;
}

function addFilterOptions(command: Command): Command {
  return command
    .option('--topic <topic>', `of one topic: ${topicNames.join(', ')}`, readTopic)
    .option('--group <group>', 'refused by this group')
    .option('--reason <text>', 'with this in the reason')
    .option(
      '--since <time>',
      'refused at this time or later: 2026-11-21T10:00:00Z, or how long ago: 24h',
      readMoment,
    )
    .option('--until <time>', 'refused before this time', readMoment);
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
