import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';

import { z } from 'zod';

import { messageOf } from '../../shared/core/errors.js';
import { monotonicMs } from '../processes/monotonicClock.js';
import { untilDue } from './dueTime.js';

/** GET requests of one resource at a constant rate, whether the earlier ones are answered or not. */
export const readPlanSchema = z.object({
  loop: z.literal('reads'),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  count: z.int().positive(),
  perSecond: z.number().positive(),
});

export const readReportSchema = z.object({
  /** By request, from the moment at which it was due to the end of its answer, in milliseconds. */
  latenciesMs: z.instanceof(Float64Array),
  /** How many requests got each status, or each error without one: `200`, `ECONNRESET`. */
  answers: z.record(z.string(), z.int()),
});

export type ReadPlan = Readonly<z.infer<typeof readPlanSchema>>;
export type ReadReport = Readonly<z.infer<typeof readReportSchema>>;

export async function runReads({ url, headers, count, perSecond }: ReadPlan): Promise<ReadReport> {
  const agent = new Agent({ keepAlive: true });
  const latenciesMs = new Float64Array(count);
  const answers = new Map<string, number>();
  const beginsAt = monotonicMs();
  const reads: Promise<void>[] = [];
  for (let index = 0; index < count; index += 1) {
    const dueAt = beginsAt + (index * 1000) / perSecond;
    await untilDue(dueAt);
    reads.push(
      read(url, headers, agent).then((answer) => {
        latenciesMs[index] = monotonicMs() - dueAt;
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
      }),
    );
  }
  await Promise.all(reads);
  agent.destroy();
  return { latenciesMs, answers: Object.fromEntries(answers) };
}

async function read(url: string, headers: ReadPlan['headers'], agent: Agent): Promise<string> {
  try {
    const [response] = (await once(get(url, { headers, agent }), 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return String(response.statusCode);
  } catch (error) {
    return messageOf(error);
  }
}
