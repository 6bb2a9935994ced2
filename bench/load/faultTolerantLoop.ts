import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

import { monotonicMs } from '../processes/monotonicClock.js';
import { eventBody } from './eventBody.js';
import type { LoadReport, FaultTolerantLoopPlan } from './plans.js';
import { post } from './post.js';
import { createLoadRecord } from './loadRecord.js';

/** The pause of a connection after a failed post. */
const pauseAfterFailureMs = 100;
const created = 201;

/**
 * Posts until enough events were accepted, also while the API is unavailable.
 * @param onAccepted gets the number of events that were accepted so far
 * @throws Error if the numbers are exhausted before
 */
export async function runFaultTolerantLoop(
  plan: FaultTolerantLoopPlan,
  onAccepted: (count: number) => void = () => undefined,
): Promise<LoadReport> {
  const { url, headers, first, count, connections, accepted } = plan;
  const record = createLoadRecord(count);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let next = 0;
  let wanted = accepted;

  const postOne = async (): Promise<void> => {
    const index = next;
    next += 1;
    if (index >= count) {
      throw new Error(`Of ${count} events only ${record.accepted()} were accepted`);
    }
    record.started(index, monotonicMs());
    const outcome = await post(url, { headers, agent, body: eventBody(first + index) });
    record.ended(index, outcome);
    onAccepted(record.accepted());
    if (outcome !== created) {
      wanted += 1;
      await pause(pauseAfterFailureMs);
    }
  };

  const connection = async (): Promise<void> => {
    while (wanted > 0) {
      wanted -= 1;
      await postOne();
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, connection));
  } finally {
    agent.destroy();
  }
  return record.report();
}
