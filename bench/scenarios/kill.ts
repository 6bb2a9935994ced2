import { setTimeout as pause } from 'node:timers/promises';

import { crashFigureNames, crashFigures } from '../measure/crashFigures.js';
import { atMost } from '../results/targets.js';
import type { Scenario, ScenarioContext } from './scenario.js';

const events = 6000;
const quickEvents = 1500;
/**
 * For failed posts. Each takes its own number, so that no number is posted twice. Enough for a minute of ten failures a second on
 * each connection.
 */
const spareNumbers = 30_000;
const connections = 50;
const downtimeMs = 1000;
const pollMs = 20;

/** The losses, duplicates and delays if all processes of the service are killed at once. */
export const kill: Scenario = {
  name: 'kill',
  description: `all processes are killed (kill -9) at half of ${events.toLocaleString('en')} events and started again after ${downtimeMs / 1000} s`,
  webhooks: 1,
  // The bare pipeline commits events before they are delivered, so it loses them.
  isForBare: false,
  pairs: 8,
  rows: [
    {
      figure: crashFigureNames.lost,
      unit: 'events',
      targets: [atMost(0)],
    },
    { figure: crashFigureNames.repeated, unit: 'events', targets: [atMost(25)] },
    {
      figure: crashFigureNames.slowest,
      unit: 's',
      targets: [atMost(10)],
    },
  ],
  measure: async (context) => {
    const accepted = context.quick ? quickEvents : events;
    const numbers = context.takeNumbers(accepted + spareNumbers);
    const posting = context.post(numbers, { loop: 'faultTolerant', connections, accepted });
    const [report] = await Promise.all([
      posting,
      untilAccepted(context, accepted / 2).then(() => killAll(context)),
    ]);
    await context.untilDrained();
    const arrivals = await context.arrivals({ ...numbers, count: report.startedAt.length });
    return [crashFigures({ report, arrivals })];
  },
};

async function untilAccepted({ accepted }: ScenarioContext, count: number): Promise<void> {
  while ((await accepted()) < count) {
    await pause(pollMs);
  }
}

async function killAll({ pipeline }: ScenarioContext): Promise<void> {
  const names = [...pipeline.processes.keys()];
  await Promise.all([...pipeline.processes.values()].map((process) => process.kill()));
  await pause(downtimeMs);
  await Promise.all(names.map((name) => pipeline.restart(name)));
}
