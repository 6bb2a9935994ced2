import { Agent } from 'node:http';

import { monotonicMs } from '../processes/monotonicClock.js';
import { untilDue } from './dueTime.js';
import { eventBody } from './eventBody.js';
import type { LoadReport, OpenLoopPlan } from './plans.js';
import { post } from './post.js';
import { createLoadRecord } from './loadRecord.js';

/**
 * Posts each event when it is due, and measures from that time, also if the post was sent later. The load tools for Node send all
 * requests of a second at once, or wait for a free connection, so they cannot be used here.
 */
export async function runOpenLoop(plan: OpenLoopPlan): Promise<LoadReport> {
  const { url, headers, first, count, perSecond } = plan;
  const record = createLoadRecord(count);
  const agent = new Agent({ keepAlive: true });
  const beginsAt = monotonicMs();
  const posts: Promise<void>[] = [];
  for (let index = 0; index < count; index += 1) {
    const dueAt = beginsAt + (index * 1000) / perSecond;
    await untilDue(dueAt);
    record.started(index, dueAt);
    posts.push(
      post(url, { headers, agent, body: eventBody(first + index) }).then((outcome) =>
        record.ended(index, outcome),
      ),
    );
  }
  await Promise.all(posts);
  agent.destroy();
  return record.report();
}
