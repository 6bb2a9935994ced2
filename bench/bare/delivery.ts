import { Agent } from 'node:http';

import fetch from 'node-fetch';

import { consume } from './consume.js';
import { createLanes } from './lanes.js';
import type { StartBareRole } from './role.js';

const noBytes = Buffer.alloc(0);

/** Posts each event to every webhook and records the outcome, with as many posts at once as the service has. */
export const startDelivery: StartBareRole = async ({ config, kafka, topics, webhookUrls }) => {
  const append = await createLanes(kafka, topics.outcomes);
  const agent = new Agent({ keepAlive: true });
  const inSlot = createSlots(config.delivery.webhookConcurrency * webhookUrls.length);

  const post = async (url: string, body: Buffer): Promise<number> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body, agent });
    await response.arrayBuffer();
    return response.status;
  };

  await consume(kafka, { groupId: `${topics.events}.delivery`, topics: [topics.events] }, async (payload) => {
    for (const { key, value } of payload.batch.messages) {
      for (const url of webhookUrls) {
        await inSlot(async () => {
          const statusCode = await post(url, value ?? noBytes);
          const outcome = JSON.stringify({ url, statusCode, at: new Date() });
          // The slot is for the exchange alone.
          void append(payload.batch.partition, key?.toString() ?? '', outcome);
        });
        await payload.heartbeat();
      }
    }
  });
  return '';
};

/** Resolves as soon as the work has begun, which is when one of the slots was free. */
function createSlots(count: number): (work: () => Promise<void>) => Promise<void> {
  const waiting: (() => void)[] = [];
  let free = count;
  const release = () => {
    const next = waiting.shift();
    if (next === undefined) {
      free += 1;
    } else {
      next();
    }
  };
  return async (work) => {
    if (free > 0) {
      free -= 1;
    } else {
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    void work().finally(release);
  };
}
