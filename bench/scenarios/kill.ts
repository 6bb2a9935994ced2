import { setTimeout as pause } from 'node:timers/promises';

import { crashFigureNames, crashFigures } from '../measure/crash.js';
import { ratesOf } from '../measure/rates.js';
import { atMost } from '../report/bars.js';
import type { Bench, Scenario } from './scenario.js';

const events = 20_000;
const quickEvents = 500;
/**
 * For posts that nobody answers: each takes a number of its own, so that what is posted after it is no repeat. Enough for a
 * minute of ten failures a second on each connection.
 */
const spareNumbers = 30_000;
const connections = 50;
const awayMs = 1000;
const pollMs = 20;

/** What is lost, repeated and late when all processes of the service die at once. */
export const kill: Scenario = {
  name: 'kill',
  description: `all processes are killed (kill -9) at half of 20,000 events and started again after ${awayMs / 1000} s`,
  webhooks: 1,
  // The bare pipeline commits what it has handed over, and loses it.
  pipelines: ['service'],
  bars: [
    atMost(crashFigureNames.lost, 0, 'events'),
    atMost(crashFigureNames.repeated, 25, 'events'),
    atMost(crashFigureNames.slowest, 10, 's'),
  ],
  measure: async (bench) => {
    const accepted = bench.quick ? quickEvents : events;
    const numbers = bench.takeNumbers(accepted + spareNumbers);
    const posting = bench.post(numbers, { loop: 'stubborn', connections, accepted });
    const [report] = await Promise.all([
      posting,
      untilAccepted(bench, accepted / 2).then(() => killAll(bench)),
    ]);
    await bench.untilDrained();
    const posted = { ...numbers, count: report.startedAt.length };
    const arrivals = await bench.arrivals(posted);
    const [beganAt = 0] = report.startedAt;
    bench.keepSeries(ratesOf('accepted', report.acceptedAt, beganAt));
    bench.keepSeries(ratesOf('delivered', arrivals[0]?.arrivedAt ?? [], beganAt));
    return crashFigures({ report, arrivals });
  },
};

async function untilAccepted({ accepted }: Bench, count: number): Promise<void> {
  while ((await accepted()) < count) {
    await pause(pollMs);
  }
}

async function killAll({ pipeline }: Bench): Promise<void> {
  const names = [...pipeline.processes.keys()];
  await Promise.all([...pipeline.processes.values()].map((process) => process.kill()));
  await pause(awayMs);
  await Promise.all(names.map((name) => pipeline.begin(name)));
}
