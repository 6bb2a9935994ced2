import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

import { monotonicMs } from '../processes/monotonicClock.js';
import { eventBody } from './eventBody.js';
import { createLoadRecord } from './loadRecord.js';
import type { BatchLoopPlan, LoadReport } from './plans.js';

const created = 201;

/** Posts events in batches. Each connection posts its next batch when the last one is answered. */
export async function runBatchLoop(plan: BatchLoopPlan): Promise<LoadReport> {
  const { url, headers, first, count, type, connections, size } = plan;
  const record = createLoadRecord(count);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let next = 0;

  const postBatch = async (from: number, length: number) => {
    const events = Array.from({ length }, (_, index) => eventBody(first + from + index, type));
    const startedAt = monotonicMs();
    for (let index = from; index < from + length; index += 1) {
      record.started(index, startedAt);
    }
    const outcome = await post(`${url}/batch`, { headers, agent, body: `{"events":[${events.join(',')}]}` });
    for (let index = from; index < from + length; index += 1) {
      record.ended(index, outcome);
    }
  };

  const connection = async () => {
    while (next < count) {
      const from = next;
      next = Math.min(count, from + size);
      await postBatch(from, next - from);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, connection));
  } finally {
    agent.destroy();
  }
  return record.report();
}

interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly agent: Agent;
  readonly body: string;
}

/** @returns 201 if every event was accepted, otherwise the status and the answer */
async function post(url: string, { headers, agent, body }: Post): Promise<number | string> {
  const length = { 'content-length': Buffer.byteLength(body) };
  const sending = request(url, { method: 'POST', agent, headers: { ...headers, ...length } });
  sending.end(body);
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  const answer = await text(response);
  const isAccepted = response.statusCode === 200 && !answer.includes('{"error":');
  return isAccepted ? created : `${String(response.statusCode)} ${answer.slice(0, 200)}`;
}
