import {
  harmlessData,
  harmlessSchema,
  hostileData as data,
  hostileSchemas as schemas,
  type CheckedData,
} from '../fixtures/hostileEventTypes.js';
import { createNeighbor, type NeighborAccount } from '../neighbors/neighborAccount.js';
import { postOf, putEventType, repeatRequests, send } from '../neighbors/eventTypes.js';
import type { Figure } from '../results/result.js';
import { atMost } from '../results/targets.js';
import { controlledNames, readNextToControlled, type Phases } from './controlledReads.js';
import type { Scenario, ScenarioContext } from './scenario.js';
import { postEvent } from './slowReaders.js';

const schemasPerSecond = 10;
const eventsPerSecond = 50;
const created = 201;

type Requests = Parameters<typeof repeatRequests>[0]['requests'];

const common = {
  webhooks: 1,
  pairs: 1,
  pipelines: ['service'],
  targets: [atMost(controlledNames.ratio, 1.1, '×'), atMost(controlledNames.failed, 0, 'requests')],
} as const;

/** Whether costly schemas of an account slow down another account more than other schemas do. */
export const hostileSchemas: Scenario = {
  ...common,
  name: 'hostileSchemas',
  description: `60 reads a second of one event next to another account, which puts ${schemasPerSecond} costly schemas a second, each with an event. In turn, it puts as many harmless schemas of the same size that get the same answers`,
  measure: (context) =>
    nextTo(context, schemasPerSecond * 2, async ({ eventsUrl, account }) => {
      const requestsOf = (name: string, all: readonly unknown[]) =>
        all.map((schema, index) => putEventType(eventsUrl, `${name}.n${index}`, schema));
      const hostile = requestsOf('hostile', schemas);
      const harmless: unknown[] = [];
      for (const [index, put] of hostile.entries()) {
        harmless.push(harmlessSchema(schemas[index], (await send(account, put)) === created));
      }
      const withEvents = (name: string, puts: Requests) =>
        puts.flatMap((put, index) => [put, postOf(eventsUrl, `${name}.n${index}`, {})]);
      return {
        hostile: withEvents('hostile', hostile),
        harmless: withEvents('harmless', requestsOf('harmless', harmless)),
      };
    }),
};

/** Whether costly checks of an account's events slow down another account more than other events do. */
export const hostileData: Scenario = {
  ...common,
  name: 'hostileData',
  description: `60 reads a second of one event next to ${eventsPerSecond} events a second of another account. In turn, their checks are costly or end at once. All events are rejected, and both kinds have the same sizes`,
  measure: (context) =>
    nextTo(context, eventsPerSecond, async (neighbor) => ({
      hostile: await prepareEvents(neighbor, 'hostile', data),
      harmless: await prepareEvents(neighbor, 'harmless', data.map(harmlessData)),
    })),
};

interface Neighbor {
  readonly eventsUrl: string;
  readonly account: NeighborAccount;
}

/** Creates the event types, and returns a request for an event of each. */
async function prepareEvents(
  { eventsUrl, account }: Neighbor,
  name: string,
  all: readonly CheckedData[],
): Promise<Requests> {
  for (const [index, { schema }] of all.entries()) {
    const status = await send(account, putEventType(eventsUrl, `${name}.n${index}`, schema));
    if (status !== created) {
      throw new Error(`The event type ${name}.n${index} was not created: ${status}`);
    }
  }
  return all.map((one, index) => postOf(eventsUrl, `${name}.n${index}`, one.data));
}

async function nextTo(
  context: ScenarioContext,
  perSecond: number,
  prepare: (neighbor: Neighbor) => Promise<Phases<Requests>>,
): Promise<readonly Figure[]> {
  const { eventsUrl, headers } = context.endpoint;
  const url = await postEvent(eventsUrl, headers, '{}');
  const account = await createNeighbor(context.pipelineOptions.config);
  await context.untilDrained();
  const { hostile, harmless } = await prepare({ eventsUrl, account });
  const repeat = (requests: Requests) => () => repeatRequests({ account, perSecond, requests });
  return readNextToControlled(context, url, { hostile: repeat(hostile), harmless: repeat(harmless) });
}
