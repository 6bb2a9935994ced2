import { setTimeout as pause } from 'node:timers/promises';

import { backlogFigureNames, backlogFigures } from '../measure/backlogFigures.js';
import { memoryFigures } from '../measure/figures.js';
import { monotonicMs } from '../processes/monotonicClock.js';
import { ratesOf } from '../measure/rates.js';
import { atLeast } from '../results/targets.js';
import type { ScenarioContext, EventNumbers, LoadShape, Scenario } from './scenario.js';

const events = 20_000;
const quickEvents = 1000;
/** The largest number of events that are posted during the delivery of the backlog. */
const mostAdded = 40_000;
const addedShare = 0.2;
const closed: LoadShape = { loop: 'closed', connections: 50 };
const pollMs = 20;

/** Whether the service accepts and delivers new events while it delivers a backlog. */
export const backlog: Scenario = {
  name: 'backlog',
  description:
    'delivery is stopped while 200,000 events are posted (or --backlog), then started again; more events are posted while the backlog is delivered',
  webhooks: 1,
  pairs: 1,
  // It is compared with its own speed without a backlog.
  pipelines: ['service'],
  targets: [atLeast(backlogFigureNames.accepted, 0.5, '×'), atLeast(backlogFigureNames.delivered, 0.8, '×')],
  measure: async (context) => {
    const without = await context.deliver(context.quick ? quickEvents : events, closed);
    await context.untilDrained();

    const waiting = context.takeNumbers(context.backlogEvents);
    const beganAt = await postWhileStopped(context, waiting);
    const added = context.takeNumbers(
      Math.max(1, Math.min(mostAdded, Math.floor(context.backlogEvents * addedShare))),
    );
    const report = await context.post(added, closed);
    const arrivals = [...(await context.allArrivals(waiting)), ...(await context.allArrivals(added))];
    await context.untilDrained();

    const arrivedAt = arrivals.flatMap((ofWebhook) => [...ofWebhook.arrivedAt]);
    context.keepSeries(ratesOf('accepted', report.acceptedAt, beganAt));
    context.keepSeries(ratesOf('delivered', arrivedAt, beganAt));
    const { own } = await context.usage();
    return [...backlogFigures({ without, report, arrivals }), ...memoryFigures(own)];
  },
};

/** Posts events while delivery is stopped and restarts it. Resolves at the first delivery, with the time of the restart. */
async function postWhileStopped(context: ScenarioContext, waiting: EventNumbers): Promise<number> {
  const { processes, restart } = context.pipeline;
  const delivery = [...processes].filter(([name]) => name.startsWith('delivery'));
  await Promise.all(delivery.map(([, process]) => process.stop()));
  await context.post(waiting, closed);
  const beganAt = monotonicMs();
  await Promise.all(delivery.map(([name]) => restart(name)));
  while ((await context.arrived(waiting)) === 0) {
    await pause(pollMs);
  }
  return beganAt;
}
