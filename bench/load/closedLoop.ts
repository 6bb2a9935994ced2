import autocannon from 'autocannon';

import { monotonicMs } from '../processes/monotonicClock.js';
import { eventBody } from './eventBody.js';
import type { ClosedLoopPlan, LoadReport } from './plans.js';
import { createLoadRecord } from './loadRecord.js';

/** The interval at which autocannon checks whether it is done. */
const sampleMs = 50;
/** Long enough that slow answers are measured, not aborted. */
const timeoutSeconds = 60;

export async function runClosedLoop(plan: ClosedLoopPlan): Promise<LoadReport> {
  const { url, headers, first, count, connections } = plan;
  const record = createLoadRecord(count);
  let next = 0;
  // autocannon passes the same object to both callbacks of an exchange.
  const indexes = new WeakMap<object, number>();
  const result = await autocannon({
    url,
    method: 'POST',
    headers,
    connections,
    amount: count,
    sampleInt: sampleMs,
    timeout: timeoutSeconds,
    requests: [
      {
        // Called right before the request is written.
        setupRequest: (request, context) => {
          const index = next;
          next += 1;
          indexes.set(context, index);
          record.started(index, monotonicMs());
          return { ...request, body: eventBody(first + index) };
        },
        onResponse: (status, _body, context) => record.ended(indexes.get(context) ?? 0, status),
      },
    ],
  });
  if (result.errors > 0) {
    throw new Error(`${result.errors} connections broke, ${result.timeouts} of them after a timeout`);
  }
  return record.report();
}
