import { openStoredEvents } from '../fixtures/storedEvents.js';
import { createNeighbor } from '../neighbors/neighborAccount.js';
import { pairedNames, readNextTo } from './pairedReads.js';
import { repeatList } from '../neighbors/repeatedLists.js';
import { atMost } from '../results/targets.js';
import type { Figure } from '../results/result.js';
import type { Scenario } from './scenario.js';
import { postEvent } from './slowReaders.js';

const storedEvents = 1_000_000;
const quickStoredEvents = 5000;
/** The number of measured searches, which give values for an interval. */
const searches = 10;
/** The number of searches that the other account has in flight. All but one of them wait. */
const searchesAtOnce = 3;
const timeName = 'time of a search';

/** How many events a search compares before it ends, and whether searches of one account slow down another account. */
export const search: Scenario = {
  name: 'search',
  description: `searches without a match among ${storedEvents.toLocaleString('en')} events of 0.5 kB, and reads of one event next to searches of another account`,
  webhooks: 1,
  pairs: 1,
  pipelines: ['service'],
  targets: [
    atMost(timeName, 1500, 'ms'),
    atMost(pairedNames.ratio, 2, '×'),
    atMost(pairedNames.failed, 0, 'requests'),
  ],
  measure: async (context) => {
    const { eventsUrl, headers, mongodbUrl } = context.endpoint;
    const url = await postEvent(eventsUrl, headers, '{}');
    const neighbor = await createNeighbor(context.pipelineOptions.config);
    await context.untilDrained();
    const stored = await openStoredEvents(mongodbUrl, neighbor.id);
    try {
      const count = context.quick ? quickStoredEvents : storedEvents;
      await stored.fill(count);
      const searchUrl = `${eventsUrl}?search=no%20such%20text`;
      const figures: (readonly Figure[])[] = [];
      for (let round = 0; round < searches; round += 1) {
        figures.push(await searchOnce(searchUrl, neighbor.headers, stored.countNotBefore));
      }
      const { figures: reads } = await readNextTo(context, url, () =>
        repeatList(searchUrl, neighbor.headers, searchesAtOnce),
      );
      return [...figures.flat(), ...reads];
    } finally {
      await stored.close();
    }
  },
};

/** The time of the first page of a search, and the number of events that it has compared. */
async function searchOnce(
  url: string,
  headers: Readonly<Record<string, string>>,
  countNotBefore: (time: Date) => Promise<number>,
): Promise<readonly Figure[]> {
  const startedAt = performance.now();
  const response = await fetch(url, { headers });
  const text = await response.text();
  const elapsedMs = performance.now() - startedAt;
  if (response.status !== 200) {
    throw new Error(`The search was not answered: ${response.status} ${text}`);
  }
  const { searched } = JSON.parse(text) as { readonly searched: { readonly to: string } };
  const compared = await countNotBefore(new Date(searched.to));
  return [
    { name: timeName, unit: 'ms', value: elapsedMs },
    { name: 'events that a search compares', unit: 'events', value: compared },
    { name: 'events that a search compares in a second', unit: '/s', value: (compared / elapsedMs) * 1000 },
  ];
}
