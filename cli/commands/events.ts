import type { Command } from 'commander';

import { valueIn, type ApiClient, type Query } from '../developer/api/apiClient.js';
import { clientOf } from '../developer/api/clientOf.js';
import { readEvent } from '../developer/api/events.js';
import type { Event, EventList } from '../developer/api/resources.js';
import { followStream } from '../developer/listen/followStream.js';
import { lifeLimits } from '../developer/listen/lifeSigns.js';
import { clockTime } from '../developer/listen/listenLines.js';
import { deliveriesText, describeEvent, eventTable } from '../developer/resources/eventTable.js';
import { createPrintedEvents } from '../developer/resources/printedEvents.js';
import { addConnectionOptions, type ConnectionOptions } from '../developer/settings/connection.js';
import { addTypes, readCount, readMoment, typesHelp } from '../terminal/arguments.js';
import { print, printStatus } from '../terminal/output.js';

interface JsonOption extends ConnectionOptions {
  readonly json?: boolean;
}

interface ListOptions extends JsonOption {
  readonly types?: readonly string[];
  readonly tenant?: string;
  readonly since?: Date;
  readonly status?: string;
  readonly webhook?: string;
  readonly search?: string;
  readonly limit: number;
}

interface TailOptions extends JsonOption {
  readonly types?: readonly string[];
  readonly tenant?: string;
}

interface ResendOptions extends JsonOption {
  readonly webhook?: string;
}

const defaultLimit = 20;
const pageLimit = 100;

/** Adds the commands for events, which call the API. */
export function addEventCommands(program: Command): void {
  const events = program.command('events');

  addConnectionOptions(
    events
      .command('list')
      .description('list events, newest first')
      .option('--types <types>', typesHelp, addTypes)
      .option('--tenant <id>', 'only the events of this tenant')
      .option('--since <time>', 'only events since a time, such as 2h or 2026-11-21', readMoment)
      .option('--status <status>', 'only events with a delivery in this status, such as failed')
      .option('--webhook <id>', 'only events with a delivery to this webhook')
      .option('--search <text>', 'only events with this text in their id or data')
      .option('--limit <number>', 'the maximum number of events', readCount, defaultLimit)
      .option('--json', 'print JSON'),
  ).action(async (options: ListOptions) => {
    const list = await listEvents(clientOf(options), options);
    print(options.json === true ? list : describeList(list));
  });

  addConnectionOptions(
    events
      .command('show')
      .description('print an event with its deliveries and its data')
      .argument('<id>', 'the id of the event')
      .option('--json', 'print the answer of the API byte for byte'),
  ).action(async (id: string, options: JsonOption) => {
    const answer = await clientOf(options).send({ path: `/v1/events/${encodeURIComponent(id)}` });
    print(options.json === true ? answer.toString() : describeEvent(answer));
  });

  addConnectionOptions(
    events
      .command('tail')
      .description('follow new events and their deliveries')
      .option('--types <types>', typesHelp, addTypes)
      .option('--tenant <id>', 'only the events of this tenant')
      .option('--json', 'print a line of JSON for each event'),
  ).action(tailEvents);

  addConnectionOptions(
    events
      .command('resend')
      .description('deliver an event again')
      .argument('<id>', 'the id of the event')
      .option('--webhook <id>', 'only to this webhook (default: every active webhook with a delivery)')
      .option('--json', 'print JSON'),
  ).action(async (id: string, options: ResendOptions) => {
    const { webhook: webhookId } = options;
    const path = `/v1/events/${encodeURIComponent(id)}/resend`;
    const answer = await clientOf(options).send({
      method: 'POST',
      path,
      body: JSON.stringify({ webhookId }),
    });
    print(options.json === true ? answer.toString() : describeEvent(answer));
  });
}

/** The newest events that pass the filters, without their data. */
async function listEvents(client: Pick<ApiClient, 'send'>, options: ListOptions): Promise<EventList> {
  const { types = [], tenant, since, status, webhook, search, limit } = options;
  const filters: Query = [
    ...typesQuery(types),
    ...given('tenantId', tenant),
    ...given('createdGte', since?.toISOString()),
    ...given('deliveryStatus', status),
    ...given('webhookId', webhook),
    ...given('search', search),
    ['fields', 'summary'],
  ];
  const found: EventList['data'] = [];
  let cursor: string | undefined;
  for (;;) {
    const size = String(Math.min(pageLimit, limit - found.length));
    const query = [...filters, ['limit', size] as const, ...given('startingAfter', cursor)];
    const page = valueIn(await client.send({ path: '/v1/events', query })) as EventList;
    found.push(...page.data);
    cursor = page.searched?.cursor ?? page.data.at(-1)?.id;
    if (!page.hasMore || found.length >= limit || cursor === undefined) {
      return { data: found, hasMore: page.hasMore };
    }
  }
}

function describeList({ data, hasMore }: EventList): string {
  if (data.length === 0) {
    return 'No events.';
  }
  return hasMore
    ? `${eventTable(data)}\nThe ${data.length} newest. Raise --limit to see more events.`
    : eventTable(data);
}

async function tailEvents({ types = [], tenant, json, ...connection }: TailOptions): Promise<void> {
  let last: string | null = null;
  let wasConnected = false;
  const isNew = createPrintedEvents();
  const onGap = () => {
    printStatus(`${clockTime(new Date())}  some events are not shown; \`postrider events list\` has them`);
  };
  await followStream({
    client: clientOf(connection),
    query: [...typesQuery(types), ...given('tenantId', tenant)],
    limits: lifeLimits,
    lastEventId: () => last,
    signal: new AbortController().signal,
    onConnected: ({ after }) => {
      printStatus(`${clockTime(new Date())}  connected`);
      if (wasConnected && after === null) {
        // Without an event to continue after, the stream does not repeat what was posted meanwhile.
        onGap();
      }
      wasConnected = true;
    },
    onLost: ({ since, reason }) => {
      printStatus(`${clockTime(new Date())}  reconnecting since ${clockTime(since)}: ${reason}`);
    },
    onGap,
    onEvent: (text) => {
      const event = readEvent(text);
      last = event.id;
      const { deliveries } = valueIn(text) as Event;
      const line =
        json === true
          ? text.toString().replaceAll(/[\r\n]+/g, ' ')
          : [clockTime(event.created), event.type.padEnd(24), event.id, deliveriesText(deliveries)].join(
              '  ',
            );
      if (isNew(event.id, line)) {
        print(line);
      }
    },
  });
}

function typesQuery(types: readonly string[]): Query {
  return types.includes('*') ? [] : types.map((type) => ['type', type] as const);
}

function given(name: string, value: string | undefined): Query {
  return value === undefined ? [] : [[name, value]];
}
