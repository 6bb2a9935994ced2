import { openStoredEvents } from '../fixtures/storedEvents.js';
import { createNeighbor } from '../neighbors/neighborAccount.js';
import { pairedNames, readNextTo } from './pairedReads.js';
import { sendUnknownKeys } from '../neighbors/unknownKeys.js';
import { repeatList } from '../neighbors/repeatedLists.js';
import { atMost } from '../results/targets.js';
import type { Scenario } from './scenario.js';
import { postEvent } from './slowReaders.js';

const lists = 100;
const keysPerSecond = 200;
/** Of the account with slow lists: a list that passes over all of them takes a few hundred milliseconds. */
const storedEvents = 200_000;
const quickStoredEvents = 2000;

/** Whether slow lists of an account, and keys that do not exist, slow down another account. */
export const slowLists: Scenario = {
  name: 'slowLists',
  description: `60 reads a second of one event, alone and next to ${lists} slow lists of another account at once and ${keysPerSecond} unknown keys a second`,
  webhooks: 1,
  pairs: 1,
  pipelines: ['service'],
  targets: [atMost(pairedNames.ratio, 2, '×'), atMost(pairedNames.failed, 0, 'requests')],
  measure: async (context) => {
    const { eventsUrl, headers, mongodbUrl } = context.endpoint;
    const url = await postEvent(eventsUrl, headers, '{}');
    const neighbor = await createNeighbor(context.pipelineOptions.config);
    await context.untilDrained();
    const stored = await openStoredEvents(mongodbUrl, neighbor.id);
    try {
      await stored.fill(context.quick ? quickStoredEvents : storedEvents);
      const slow = `${eventsUrl}?webhookId=${stored.webhookId}&type=none`;
      const { figures } = await readNextTo(context, url, () => {
        const slowLists = repeatList(slow, neighbor.headers, lists);
        const unknownKeys = sendUnknownKeys(eventsUrl, keysPerSecond);
        return {
          stop: async () => {
            await Promise.all([slowLists.stop(), unknownKeys.stop()]);
          },
        };
      });
      return figures;
    } finally {
      await stored.close();
    }
  },
};
