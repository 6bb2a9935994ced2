import { createNeighbor, type NeighborAccount } from '../neighbors/neighborAccount.js';
import { pairedNames, readNextTo } from './pairedReads.js';
import { requestUnreadPages } from '../neighbors/unreadPages.js';
import { atMost } from '../results/targets.js';
import type { Scenario, ScenarioContext } from './scenario.js';

const connections = 200;
const quickConnections = 20;
/** Enough for several pages of the largest size. */
const storedEvents = 120;
const dataBytes = 200 * 1024;
const addedMemory = 'memory of the API above idle, at most';
const closedConnections = 'connections that the API has closed';

/** What clients that do not read cost: the process's memory, and the requests of another account. */
export const slowReaders: Scenario = {
  name: 'slowReaders',
  description: `60 reads a second of one event, alone and next to ${connections} connections of another account that request pages of events and never read`,
  webhooks: 1,
  pairs: 1,
  pipelines: ['service'],
  targets: [
    atMost(addedMemory, 150, 'MB'),
    atMost(pairedNames.ratio, 1.3, '×'),
    atMost(pairedNames.failed, 0, 'requests'),
  ],
  measure: async (context) => {
    const neighbor = await createNeighbor(context.pipelineOptions.config);
    await storeLargeEvents(context, neighbor);
    const url = await postEvent(context.endpoint.eventsUrl, context.endpoint.headers, '{}');
    await context.untilDrained();
    let closed = 0;
    const { figures, addedMemory: added } = await readNextTo(context, url, () => {
      const { eventsUrl } = context.endpoint;
      const unread = requestUnreadPages(
        eventsUrl,
        neighbor.headers,
        context.quick ? quickConnections : connections,
      );
      return {
        stop: () => {
          closed += unread.closed();
          unread.stop();
        },
      };
    });
    return [
      ...added.map((value) => ({ name: addedMemory, unit: 'MB' as const, value })),
      ...figures,
      { name: closedConnections, unit: 'requests', value: closed },
    ];
  },
};

async function storeLargeEvents(
  { endpoint, quick }: ScenarioContext,
  { headers }: NeighborAccount,
): Promise<void> {
  const data = JSON.stringify({ text: 'x'.repeat(dataBytes) });
  for (let count = 0; count < (quick ? storedEvents / 10 : storedEvents); count += 1) {
    await postEvent(endpoint.eventsUrl, headers, data);
  }
}

/** @returns the URL of the event */
export async function postEvent(
  url: string,
  headers: Readonly<Record<string, string>>,
  data: string,
): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: `{"type":"bench.large","data":${data}}`,
  });
  const location = response.headers.get('location');
  if (location === null) {
    throw new Error(`The event was not accepted: ${response.status} ${await response.text()}`);
  }
  await response.arrayBuffer();
  return new URL(location, url).href;
}
