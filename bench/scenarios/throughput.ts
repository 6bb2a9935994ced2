import { figureNames, latencyFigures, throughputFigures, usageFigures } from '../measure/figures.js';
import { atLeast, atLeastOfBare, atMost } from '../report/bars.js';
import type { Scenario } from './scenario.js';

const connections = 50;

/** As much as the pipeline takes: each of 50 connections posts its next event once the last one was accepted. */
export const throughput = fullSpeed({
  name: 'throughput',
  description: `20,000 events as fast as ${connections} connections can post, one webhook`,
  webhooks: 1,
  events: 20_000,
  bars: [
    atLeast(figureNames.accepted, 2000, '/s'),
    atLeastOfBare(figureNames.accepted, 0.8),
    atLeast(figureNames.delivered, 1850, '/s'),
    atLeastOfBare(figureNames.delivered, 0.9),
    atMost(figureNames.processorTime, 1.1, 'ms'),
    atMost(figureNames.memory, 350, 'MB'),
  ],
  plotted: [figureNames.accepted, figureNames.delivered],
});

/** What each further delivery of an event costs. */
export const five = fullSpeed({
  name: 'five',
  description: `5,000 events as fast as ${connections} connections can post, each to five webhooks`,
  webhooks: 5,
  events: 5000,
  bars: [atLeast(figureNames.deliveries, 2600, '/s')],
  plotted: [figureNames.accepted, figureNames.deliveries],
});

interface Shape extends Omit<Scenario, 'measure'> {
  readonly events: number;
}

/**
 * The same load comes once before it is measured: engines compile what runs often, on the same two cores, for the first ten seconds or
 * so. What a service costs that has just begun is a matter of `kill`. A quick run has a tenth of the events, and none before.
 */
function fullSpeed({ events, description, ...shape }: Shape): Scenario {
  return {
    ...shape,
    description: `${description}, after as many of the same`,
    measure: async ({ quick, deliver, untilDrained, usage }) => {
      const count = quick ? events / 10 : events;
      const load = { loop: 'closed', connections } as const;
      if (!quick) {
        await deliver(count, load);
        await untilDrained();
      }
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
