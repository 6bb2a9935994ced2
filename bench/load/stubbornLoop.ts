import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

import { monotonicMs } from '../measure/monotonicClock.js';
import { eventBody } from './eventBody.js';
import type { LoadReport, StubbornLoopPlan } from './plans.js';
import { post } from './post.js';
import { createLoadRecord } from './record.js';

/** A client that is refused waits a little. */
const pauseAfterFailureMs = 100;
const created = 201;

/**
 * Posts until so many events were accepted, also where nobody listens for a while.
 * @param onAccepted is told how many were accepted so far
 * @throws Error where all numbers were used up before
 */
export async function runStubbornLoop(
  plan: StubbornLoopPlan,
  onAccepted: (count: number) => void = () => undefined,
): Promise<LoadReport> {
  const { url, headers, first, count, type, connections, accepted } = plan;
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
    const outcome = await post(url, { headers, agent, body: eventBody(first + index, type) });
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
