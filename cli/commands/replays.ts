import { Option, type Command } from 'commander';

import { replaySelections } from '../../shared/domain/replays/replay.js';
import { valueIn, type ApiClient } from '../developer/api/apiClient.js';
import { clientOf } from '../developer/api/clientOf.js';
import type { DryRun, Replay, WebhookList } from '../developer/api/resources.js';
import { addConnectionOptions, type ConnectionOptions } from '../developer/settings/connection.js';
import { addTypes, readMoment, typesHelp } from '../terminal/arguments.js';
import { CommandFailure, print } from '../terminal/output.js';

interface CreateOptions extends ConnectionOptions {
  readonly webhook?: string;
  readonly since: Date;
  readonly until?: Date;
  readonly types?: readonly string[];
  readonly only: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

interface ShowOptions extends ConnectionOptions {
  readonly json?: boolean;
}

/** Adds the commands for replays, which call the API. */
export function addReplayCommands(program: Command): void {
  const replays = program.command('replays');

  addConnectionOptions(
    replays
      .command('create')
      .description('deliver events of a time range to a webhook again')
      .option('--webhook <id>', 'the webhook (default: the only active one)')
      .requiredOption('--since <time>', 'the beginning, such as 2h or 2026-11-21', readMoment)
      .option('--until <time>', 'the end', readMoment)
      .option('--types <types>', typesHelp, addTypes)
      .addOption(
        new Option('--only <selection>', 'the deliveries').choices(replaySelections).default('failed'),
      )
      .option('--dry-run', 'only count the events')
      .option('--json', 'print JSON'),
  ).action(async (options: CreateOptions) => {
    const { webhook, since, until, types, only, dryRun, json } = options;
    const client = clientOf(options);
    const webhookId = webhook ?? (await onlyWebhook(client));
    const body = JSON.stringify({ webhookId, since, until, types, only, dryRun });
    const answer = await client.send({ method: 'POST', path: '/v1/replays', body });
    if (json === true) {
      print(answer.toString());
    } else {
      print(dryRun === true ? describeCount(valueIn(answer) as DryRun) : describe(valueIn(answer) as Replay));
    }
  });

  addConnectionOptions(
    replays
      .command('show')
      .description('print the progress of a replay')
      .argument('<id>', 'the id of the replay')
      .option('--json', 'print JSON'),
  ).action(async (id: string, options: ShowOptions) => {
    const answer = await clientOf(options).send({ path: `/v1/replays/${encodeURIComponent(id)}` });
    print(options.json === true ? answer.toString() : describe(valueIn(answer) as Replay));
  });
}

/** @throws CommandFailure if the account has no active webhook, or several */
async function onlyWebhook(client: Pick<ApiClient, 'send'>): Promise<string> {
  const query = [
    ['status', 'active'],
    ['limit', '2'],
  ] as const;
  const { data } = valueIn(await client.send({ path: '/v1/webhooks', query })) as WebhookList;
  const [webhook, other] = data;
  if (webhook === undefined || other !== undefined) {
    const number = webhook === undefined ? 'no active webhook' : 'several active webhooks';
    throw new CommandFailure(
      `There is ${number}. \`postrider webhooks list\` shows them; pass one with --webhook.`,
    );
  }
  return webhook.id;
}

function describeCount({ matched, complete, until }: DryRun): string {
  return `A replay until ${until} matches ${complete ? '' : 'at least '}${matched} events. Nothing was sent.`;
}

function describe({ id, webhookId, status, filter, matched, done, failed }: Replay): string {
  return [
    `Replay     ${id}`,
    `Webhook    ${webhookId}`,
    `Only       ${filter.only}`,
    `Status     ${status}`,
    `Matched    ${matched ?? 'not counted yet'}`,
    `Delivered  ${done}`,
    `Failed     ${failed}`,
  ].join('\n');
}
