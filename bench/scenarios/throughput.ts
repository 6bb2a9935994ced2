import { figureNames, latencyFigures, throughputFigures, usageFigures } from '../measure/figures.js';
import { atLeast, atLeastOfBare, atMost } from '../results/targets.js';
import type { Scenario } from './scenario.js';

const connections = 50;

const load = { loop: 'closed', connections } as const;
/** V8 compiles hot code on the same two cores for about ten seconds. The scenario `cold` shows the cost of a cold start. */
const leadInBlocks = 2;

/** The largest throughput: each of 50 connections posts its next event when the last one was accepted. */
export const throughput = fullSpeed({
  name: 'throughput',
  description: `10,000 events as fast as ${connections} connections can post, to one webhook`,
  webhooks: 1,
  events: 10_000,
  targets: [
    atLeast(figureNames.accepted, 2000, '/s'),
    atLeastOfBare(figureNames.accepted, 0.8),
    atLeast(figureNames.delivered, 1850, '/s'),
    atLeastOfBare(figureNames.delivered, 0.9),
    atMost(figureNames.processorTime, 1.1, 'ms'),
    atMost(figureNames.memory, 350, 'MB'),
  ],
  plotted: [figureNames.accepted, figureNames.delivered],
});

/** The cost of further deliveries of an event. */
export const five = fullSpeed({
  name: 'five',
  description: `4,000 events as fast as ${connections} connections can post, each to five webhooks`,
  webhooks: 5,
  events: 4000,
  pairsPerStart: 10,
  targets: [atLeast(figureNames.deliveries, 2600, '/s')],
  plotted: [figureNames.accepted, figureNames.deliveries],
});

interface Shape extends Omit<Scenario, 'measure' | 'leadIn'> {
  readonly events: number;
}

/** A quick run has a tenth of the events, and no warm-up. */
function fullSpeed({ events, description, ...shape }: Shape): Scenario {
  const leadInEvents = leadInBlocks * events;
  return {
    ...shape,
    description: `${description}, after ${leadInEvents.toLocaleString('en')} events of the same load`,
    leadIn: async ({ deliver, untilDrained }) => {
      await deliver(leadInEvents, load);
      await untilDrained();
    },
    measure: async ({ quick, deliver, untilDrained, usage }) => {
      const count = quick ? events / 10 : events;
      const before = await usage();
      const delivered = await deliver(count, load);
      await untilDrained();
      const after = await usage();
      return [
        ...throughputFigures(delivered),
        ...latencyFigures(delivered, 'post'),
        ...usageFigures(before, after, count),
      ];
    },
  };
}
