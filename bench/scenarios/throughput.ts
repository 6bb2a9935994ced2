import { latencyFigures, throughputFigures, usageFigures } from '../measure/figures.js';
import type { Scenario } from './scenario.js';

const connections = 50;

/** As much as the pipeline takes: each of 50 connections posts its next event once the last one was accepted. */
export const throughput = fullSpeed({
  name: 'throughput',
  description: `20,000 events as fast as ${connections} connections can post, one webhook`,
  webhooks: 1,
  events: 20_000,
});

/** What each further delivery of an event costs. */
export const five = fullSpeed({
  name: 'five',
  description: `5,000 events as fast as ${connections} connections can post, each to five webhooks`,
  webhooks: 5,
  events: 5000,
});

interface Shape extends Pick<Scenario, 'name' | 'description' | 'webhooks'> {
  readonly events: number;
}

/** A quick run has a fifth of the events. */
function fullSpeed({ events, ...shape }: Shape): Scenario {
  return {
    ...shape,
    measure: async ({ quick, deliver, untilDrained, usage }) => {
      const count = quick ? events / 5 : events;
      const before = await usage();
      const delivered = await deliver(count, { loop: 'closed', connections });
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
