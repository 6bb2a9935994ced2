import { throughputFigures } from '../measure/figures.js';
import type { Figure } from '../results/result.js';
import { atLeast } from '../results/targets.js';
import type { Scenario } from './scenario.js';

const events = 20_000;
const size = 100;
/** An API process executes so many batches of an account at the same time. */
const batchConnections = 4;
const single = { loop: 'closed', connections: 50 } as const;
const batched = { loop: 'batches', connections: batchConnections, size } as const;

const ratio = 'accepted in batches, compared with single posts';

/** The events that batches carry, compared with single posts. */
export const batches: Scenario = {
  name: 'batches',
  description:
    `${events.toLocaleString('en')} events in batches of ${size} on ${batchConnections} connections, ` +
    'after as many single posts',
  webhooks: 1,
  pairs: 5,
  pipelines: ['service'],
  targets: [atLeast(ratio, 4, '×')],
  plotted: [ratio],
  leadIn: async ({ deliver, untilDrained }) => {
    await deliver(events / 2, single);
    await deliver(events / 2, batched);
    await untilDrained();
  },
  measure: async ({ quick, deliver, untilDrained }) => {
    const count = quick ? events / 10 : events;
    const one = throughputFigures(await deliver(count, single));
    await untilDrained();
    const many = throughputFigures(await deliver(count, batched));
    await untilDrained();
    return [
      ...one.map((figure) => ({ ...figure, name: `single posts, ${figure.name}` })),
      ...many.map((figure) => ({ ...figure, name: `batches, ${figure.name}` })),
      { name: ratio, unit: '×', value: accepted(many) / accepted(one) },
    ];
  },
};

/** The first figure of a load is the rate of accepted events. */
function accepted([figure]: readonly Figure[]): number {
  return figure?.value ?? NaN;
}
