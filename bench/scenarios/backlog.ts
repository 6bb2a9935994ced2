import { setTimeout as pause } from 'node:timers/promises';

import { backlogFigureNames, backlogFigures } from '../measure/backlog.js';
import { memoryFigures } from '../measure/figures.js';
import { monotonicMs } from '../measure/monotonicClock.js';
import { ratesOf } from '../measure/rates.js';
import { atLeast } from '../report/bars.js';
import type { Bench, EventNumbers, LoadShape, Scenario } from './scenario.js';

const events = 20_000;
const quickEvents = 1000;
/** Posted while the backlog is being delivered, and before that is done. */
const mostBeside = 40_000;
const besideShare = 0.2;
const closed: LoadShape = { loop: 'closed', connections: 50 };
const pollMs = 20;

/** Whether a service that makes up for an outage of its deliveries goes on taking and delivering new events. */
export const backlog: Scenario = {
  name: 'backlog',
  description:
    'delivery is stopped while 500,000 events are posted (or --backlog), then started again; others are posted beside it',
  webhooks: 1,
  // It is held against its own speed without a backlog.
  pipelines: ['service'],
  bars: [atLeast(backlogFigureNames.accepted, 0.5, '×'), atLeast(backlogFigureNames.delivered, 0.8, '×')],
  measure: async (bench) => {
    const without = await bench.deliver(bench.quick ? quickEvents : events, closed);
    await bench.untilDrained();

    const waiting = bench.takeNumbers(bench.backlogEvents);
    const beganAt = await postWhileAway(bench, waiting);
    const beside = bench.takeNumbers(
      Math.max(1, Math.min(mostBeside, Math.floor(bench.backlogEvents * besideShare))),
    );
    const report = await bench.post(beside, closed);
    const arrivals = [...(await bench.allArrivals(waiting)), ...(await bench.allArrivals(beside))];
    await bench.untilDrained();

    const arrivedAt = arrivals.flatMap((ofWebhook) => [...ofWebhook.arrivedAt]);
    bench.keepSeries(ratesOf('accepted', report.acceptedAt, beganAt));
    bench.keepSeries(ratesOf('delivered', arrivedAt, beganAt));
    const { own } = await bench.usage();
    return [...backlogFigures({ without, report, arrivals }), ...memoryFigures(own)];
  },
};

/** Posts events that nobody delivers; resolves when the first is, with the moment at which delivery was started again. */
async function postWhileAway(bench: Bench, waiting: EventNumbers): Promise<number> {
  const { processes, begin } = bench.pipeline;
  const delivery = [...processes].filter(([name]) => name.startsWith('delivery'));
  await Promise.all(delivery.map(([, process]) => process.stop()));
  await bench.post(waiting, closed);
  const beganAt = monotonicMs();
  await Promise.all(delivery.map(([name]) => begin(name)));
  while ((await bench.arrived(waiting)) === 0) {
    await pause(pollMs);
  }
  return beganAt;
}
