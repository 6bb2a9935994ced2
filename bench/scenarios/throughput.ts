import { cpuNameOf, figureNames, throughputFigures, usageFigures } from '../measure/figures.js';
import { atLeast, atLeastOfBare, atMost } from '../results/targets.js';
import type { Scenario } from './scenario.js';

const connections = 50;
const load = { loop: 'closed', connections } as const;
/** V8 compiles hot code on the same two cores for about ten seconds. */
const leadInBlocks = 2;
const quickFraction = 1 / 10;

/** The largest throughput: each of 50 connections posts its next event when the last one was accepted. */
export const throughput = fullSpeed({
  name: 'throughput',
  events: 6000,
  webhooks: 1,
  starts: 2,
  rows: [
    {
      figure: figureNames.accepted,
      unit: '/s',
      targets: [atLeast(2000), atLeastOfBare(0.8)],
    },
    {
      figure: figureNames.delivered,
      unit: '/s',
      targets: [atLeast(1850), atLeastOfBare(0.9)],
    },
    {
      figure: figureNames.cpu,
      unit: 'ms',
      targets: [atMost(1.1)],
    },
    { figure: cpuNameOf('api'), unit: 'ms' },
    { figure: cpuNameOf('projections'), unit: 'ms' },
    { figure: cpuNameOf('delivery'), unit: 'ms' },
    { figure: figureNames.serversCpu, unit: 'ms' },
    { figure: figureNames.memory, unit: 'MB', targets: [atMost(350)] },
    { figure: figureNames.peakMemory, unit: 'MB' },
  ],
});

/** The cost of further deliveries of an event. */
export const five = fullSpeed({
  name: 'five',
  events: 1200,
  webhooks: 5,
  rows: [
    { figure: figureNames.deliveries, unit: '/s', targets: [atLeast(2600)] },
    { figure: figureNames.cpu, unit: 'ms' },
  ],
});

interface Shape extends Pick<Scenario, 'name' | 'webhooks' | 'starts' | 'rows'> {
  readonly events: number;
}

function fullSpeed({ events, ...shape }: Shape): Scenario {
  const receivers = shape.webhooks === 1 ? 'one webhook' : `${shape.webhooks} webhooks`;
  return {
    ...shape,
    description: `${events.toLocaleString('en')} events as fast as ${connections} connections can post, to ${receivers}`,
    isForBare: true,
    pairs: 8,
    leadIn: async ({ deliver, untilDrained }) => {
      await deliver(leadInBlocks * events, load);
      await untilDrained();
    },
    measure: async ({ quick, deliver, untilDrained, usage }) => {
      const count = quick ? events * quickFraction : events;
      const before = await usage();
      const delivered = await deliver(count, load);
      await untilDrained();
      return [{ ...throughputFigures(delivered), ...usageFigures(before, await usage(), count) }];
    },
  };
}
