import { setTimeout as pause } from 'node:timers/promises';

import { createWebhook, requestJson, type Endpoint } from '../fixtures/endpoint.js';
import { eventBody } from '../load/eventBody.js';
import { atMost } from '../results/targets.js';
import type { Figure } from '../results/result.js';
import type { Scenario } from './scenario.js';

const events = 150;
const rounds = 8;
const pollMs = 20;
const timeoutMs = 10_000;
const names = {
  p95: 'from the 201 to the pending delivery in a list, p95',
  slowest: 'from the 201 to the pending delivery in a list, slowest',
  missing: `events that do not list the webhook within ${timeoutMs / 1000} s`,
} as const;

/** How soon an event lists a webhook that hangs, while many deliveries to the webhook wait. */
export const pending: Scenario = {
  name: 'pending',
  description: `${events} events at once to a webhook that hangs, ${rounds} times`,
  webhooks: 1,
  pairs: 1,
  pipelines: ['service'],
  targets: [
    atMost(names.p95, 1000, 'ms'),
    atMost(names.slowest, 1000, 'ms'),
    atMost(names.missing, 0, 'events'),
  ],
  measure: async ({ endpoint, hanging, takeNumbers }) => {
    const webhookId = await createWebhook(endpoint, {
      url: hanging.hangingUrl(0),
      events: ['pending.*'],
    });
    await postAll(endpoint, 'pending.first', [takeNumbers(1).first]);
    const figures: (readonly Figure[])[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const type = `pending.round${round}`;
      const { first } = takeNumbers(events);
      const accepted = new Map<string, number>();
      const posting = postAll(
        endpoint,
        type,
        Array.from({ length: events }, (_, index) => first + index),
        (id) => accepted.set(id, performance.now()),
      );
      const listed = await untilListed(endpoint, { type, webhookId }, posting);
      figures.push(figuresOf(accepted, listed));
    }
    return figures.flat();
  },
};

/** Posts events of one type at once. */
async function postAll(
  { eventsUrl, headers }: Endpoint,
  type: string,
  numbers: readonly number[],
  onAccepted: (id: string) => void = () => undefined,
): Promise<void> {
  await Promise.all(
    numbers.map(async (number) => {
      const response = await fetch(eventsUrl, { method: 'POST', headers, body: eventBody(number, type) });
      const [id] = response.headers.get('location')?.split('/').slice(-1) ?? [];
      if (id === undefined) {
        throw new Error(`The event was not accepted: ${response.status} ${await response.text()}`);
      }
      onAccepted(id);
      await response.arrayBuffer();
    }),
  );
}

interface ListedEvents {
  readonly data: readonly {
    readonly id: string;
    readonly deliveries: readonly { readonly webhookId: string }[];
  }[];
  readonly hasMore: boolean;
}

interface PendingEvents {
  readonly type: string;
  readonly webhookId: string;
}

/** Lists the events of a type until each lists the webhook, or the time has passed. Returns the time for each event. */
async function untilListed(
  endpoint: Endpoint,
  pendingEvents: PendingEvents,
  posting: Promise<void>,
): Promise<ReadonlyMap<string, number>> {
  const listed = new Map<string, number>();
  const deadline = performance.now() + timeoutMs;
  while (listed.size < events && performance.now() < deadline) {
    for await (const id of pendingIds(endpoint, pendingEvents)) {
      listed.set(id, listed.get(id) ?? performance.now());
    }
    await pause(pollMs);
  }
  await posting;
  return listed;
}

/** The ids of the events that list the webhook, page by page. */
async function* pendingIds(endpoint: Endpoint, { type, webhookId }: PendingEvents): AsyncGenerator<string> {
  let cursor = '';
  let page: ListedEvents;
  do {
    const path = `/v1/events?type=${type}&fields=summary&limit=100${cursor}`;
    page = (await requestJson(endpoint, path)) as ListedEvents;
    yield* page.data
      .filter(({ deliveries }) => deliveries.some((delivery) => delivery.webhookId === webhookId))
      .map(({ id }) => id);
    cursor = `&startingAfter=${page.data.at(-1)?.id ?? ''}`;
  } while (page.hasMore);
}

function figuresOf(
  accepted: ReadonlyMap<string, number>,
  listed: ReadonlyMap<string, number>,
): readonly Figure[] {
  const delays = [...accepted].flatMap(([id, at]) => {
    const listedAt = listed.get(id);
    return listedAt === undefined ? [] : [Math.max(0, listedAt - at)];
  });
  const sorted = delays.toSorted((one, other) => one - other);
  return [
    { name: names.p95, unit: 'ms', value: sorted[Math.ceil(sorted.length * 0.95) - 1] ?? timeoutMs },
    { name: names.slowest, unit: 'ms', value: sorted.at(-1) ?? timeoutMs },
    { name: names.missing, unit: 'events', value: accepted.size - delays.length },
  ];
}
