import { latencyFigures, throughputFigures, usageFigures } from '../measure/figures.js';
import type { Scenario } from './scenario.js';

const events = 20_000;
const quickEvents = 4000;
const connections = 50;

/** As much as the pipeline takes: each of 50 connections posts its next event once the last one was accepted. */
export const throughput: Scenario = {
  name: 'throughput',
  description: `as fast as ${connections} connections can post, one webhook`,
  webhooks: 1,
  measure: async ({ quick, deliver, untilDrained, usage }) => {
    const count = quick ? quickEvents : events;
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
