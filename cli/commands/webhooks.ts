import type { Command } from 'commander';

import { valueIn, type ApiClient, type ApiRequest, type Query } from '../developer/api/apiClient.js';
import { clientOf } from '../developer/api/clientOf.js';
import type {
  EventPreview,
  TestDelivery,
  Webhook,
  WebhookList,
  WebhookWithSecret,
} from '../developer/api/resources.js';
import { readFields, withOptions, type WebhookFields } from '../developer/resources/webhookFields.js';
import { addConnectionOptions, type ConnectionOptions } from '../developer/settings/connection.js';
import { addTypes, typesHelp } from '../terminal/arguments.js';
import { confirmed } from '../terminal/confirmation.js';
import { inputText } from '../terminal/inputText.js';
import { print } from '../terminal/output.js';
import { onOneLine } from '../terminal/printableBytes.js';
import { renderTable } from '../terminal/table.js';

interface JsonOption extends ConnectionOptions {
  readonly json?: boolean;
}

interface ListOptions extends JsonOption {
  readonly tenant?: string;
  readonly status?: string;
}

interface FieldOptions extends JsonOption {
  readonly toUrl?: string;
  readonly events?: readonly string[];
  readonly description?: string;
  readonly fields?: string;
}

interface CreateOptions extends FieldOptions {
  readonly tenant?: string;
}

interface UpdateOptions extends FieldOptions {
  readonly status?: string;
}

interface DeleteOptions extends JsonOption {
  readonly yes?: boolean;
}

interface TestOptions extends JsonOption {
  readonly type?: string;
}

/** Adds the commands for webhooks, which call the API. */
export function addWebhookCommands(program: Command): void {
  const webhooks = program.command('webhooks');

  addConnectionOptions(
    webhooks
      .command('list')
      .description('list all webhooks, newest first')
      .option('--tenant <id>', 'only the webhooks of this tenant')
      .option('--status <status>', 'only active or disabled webhooks')
      .option('--json', 'print JSON'),
  ).action(async (options: ListOptions) => {
    const data = await listWebhooks(clientOf(options), options);
    print(options.json === true ? data : describeList(data));
  });

  addConnectionOptions(
    addFieldOptions(
      webhooks.command('create').description('create a webhook, and print its secret this once'),
    )
      .argument('<url>', 'the URL of the webhook')
      .option('--tenant <id>', 'the tenant of the webhook, or * for every tenant')
      .option('--json', 'print JSON'),
  ).action(async (url: string, options: CreateOptions) => {
    const fields = await fieldsOf(options, { url, tenantId: options.tenant });
    const body = JSON.stringify({ events: ['*'], ...fields });
    const request = { method: 'POST', path: '/v1/webhooks', body } as const;
    const created = valueIn(await clientOf(options).send(request)) as WebhookWithSecret;
    print(
      options.json === true
        ? created
        : `${describeOne(created)}\nSecret   ${created.secret}   (shown this once)`,
    );
  });

  addConnectionOptions(
    addFieldOptions(webhooks.command('update').description('change a webhook'))
      .argument('<id>', 'the id of the webhook')
      .option('--to-url <url>', 'another URL')
      .option('--status <status>', 'active or disabled')
      .option('--json', 'print JSON'),
  ).action(async (id: string, options: UpdateOptions) => {
    const { toUrl: url, status } = options;
    const body = JSON.stringify(await fieldsOf(options, { url, status }));
    const changed = valueIn(
      await clientOf(options).send(toWebhook(id, { method: 'PATCH', body })),
    ) as Webhook;
    print(options.json === true ? changed : describeOne(changed));
  });

  addConnectionOptions(
    webhooks
      .command('delete')
      .description('delete a webhook')
      .argument('<id>', 'the id of the webhook')
      .option('--yes', 'skip the confirmation')
      .option('--json', 'print JSON'),
  ).action(async (id: string, options: DeleteOptions) => {
    const client = clientOf(options);
    if (options.yes !== true) {
      const { url } = valueIn(await client.send(toWebhook(id))) as Webhook;
      if (
        !(await confirmed(`Delete ${id} (${onOneLine(url)})? It receives no further events.`, 'deletion'))
      ) {
        print('Nothing was deleted.');
        return;
      }
    }
    const answer = await client.send(
      toWebhook(id, { method: 'DELETE', answerIfGone: JSON.stringify({ id, deleted: true }) }),
    );
    print(options.json === true ? answer.toString() : `${id} is deleted.`);
  });

  addConnectionOptions(
    webhooks
      .command('test')
      .description('send a test event to a webhook')
      .argument('<id>', 'the id of the webhook')
      .option('--type <type>', 'the type of the event (default: webhook.test)')
      .option('--json', 'print JSON'),
  ).action(async (id: string, options: TestOptions) => {
    const { type } = options;
    const request = { method: 'POST', path: '/test', body: JSON.stringify({ type }) } as const;
    const sent = valueIn(await clientOf(options).send(toWebhook(id, request))) as TestDelivery;
    print(
      options.json === true
        ? sent
        : `${sent.eventId} is on its way. \`postrider events show ${sent.eventId}\` shows the answer.`,
    );
  });

  addConnectionOptions(
    webhooks
      .command('preview')
      .description('show the request of an event to a webhook, and send nothing')
      .argument('<id>', 'the id of the webhook')
      .argument('<event>', 'the id of the event')
      .option('--json', 'print JSON'),
  ).action(async (id: string, eventId: string, options: JsonOption) => {
    const request = { method: 'POST', path: '/preview', body: JSON.stringify({ eventId }) } as const;
    const answer = await clientOf(options).send(toWebhook(id, request));
    print(options.json === true ? answer.toString() : describePreview(valueIn(answer) as EventPreview));
  });
}

/** Whether the webhook gets the event, and the request. */
function describePreview({ matches, reason, condition, request }: EventPreview): string {
  const { method, url, headers, body } = request;
  const cause = [reason, condition].filter((part) => part !== null).join(', ');
  return [
    matches ? 'The webhook would get this event.' : `The webhook would not get this event: ${cause}.`,
    '',
    `${method} ${onOneLine(url)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${onOneLine(value)}`),
    '',
    onOneLine(body),
  ].join('\n');
}

function addFieldOptions(command: Command): Command {
  return command
    .option('--events <types>', typesHelp, addTypes)
    .option('--description <text>', 'a description for people')
    .option(
      '--fields <json>',
      'further fields of the API, such as {"timeoutSeconds":20}: a JSON object, @FILE, or @- for standard input; an option wins over the same field',
    );
}

/** The fields of `--fields` and of the options. */
async function fieldsOf(
  { events, description, fields }: FieldOptions,
  others: WebhookFields,
): Promise<WebhookFields> {
  const given = fields === undefined ? {} : readFields((await inputText(fields, '--fields')).toString());
  return withOptions(given, { events, description, ...others });
}

function toWebhook(id: string, { path = '', ...request }: Partial<ApiRequest> = {}): ApiRequest {
  return { ...request, path: `/v1/webhooks/${encodeURIComponent(id)}${path}` };
}

async function listWebhooks(
  client: Pick<ApiClient, 'send'>,
  { tenant, status }: ListOptions,
): Promise<readonly Webhook[]> {
  const filters: Query = [
    ['limit', '100'],
    ...(tenant === undefined ? [] : ([['tenantId', tenant]] as const)),
    ...(status === undefined ? [] : ([['status', status]] as const)),
  ];
  const found: Webhook[] = [];
  for (;;) {
    const last = found.at(-1);
    const query: Query = last === undefined ? filters : [...filters, ['startingAfter', last.id]];
    const { data, hasMore } = valueIn(await client.send({ path: '/v1/webhooks', query })) as WebhookList;
    found.push(...data);
    if (!hasMore || data.length === 0) {
      return found;
    }
  }
}

const columns = [{ head: 'ID' }, { head: 'STATUS' }, { head: 'TENANT' }, { head: 'EVENTS' }, { head: 'URL' }];

function describeList(webhooks: readonly Webhook[]): string {
  return webhooks.length === 0
    ? 'No webhooks.'
    : renderTable(
        columns,
        webhooks.map(({ id, status, tenantId, events, url }) => [
          id,
          status,
          tenantId ?? '',
          events.join(','),
          onOneLine(url),
        ]),
      );
}

function describeOne({ id, url, events, status, disabledReason, tenantId, mode }: Webhook): string {
  return [
    `Webhook  ${id}`,
    `URL      ${onOneLine(url)}`,
    `Events   ${events.join(', ')}`,
    `Status   ${status}${disabledReason === null ? '' : ` (${disabledReason})`}`,
    `Tenant   ${tenantId ?? 'none'}`,
    `Mode     ${mode}`,
  ].join('\n');
}
