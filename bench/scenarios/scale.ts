import { figureNames, latencyFigures, throughputFigures } from '../measure/figures.js';
import type { Scenario, Variant } from './scenario.js';

const events = 20_000;
const quickEvents = 1000;
const connections = 50;

const variants: readonly Variant[] = [
  { name: '1 delivery process' },
  { name: '2 delivery processes', deliveryProcesses: 2 },
  { name: '4 delivery processes', deliveryProcesses: 4 },
  { name: '48 partitions', settings: { POSTRIDER_PARTITIONS: '48' } },
];

/** What more processes and more partitions bring or cost on one machine. */
export const scale: Scenario = {
  name: 'scale',
  description: `20,000 events with 1, 2 and 4 delivery processes on 12 partitions, and with one on 48`,
  webhooks: 1,
  variants,
  plotted: variants.map(({ name }) => `${name}: ${figureNames.delivered}`),
  measure: async ({ quick, deliver, untilDrained }) => {
    const delivered = await deliver(quick ? quickEvents : events, { loop: 'closed', connections });
    await untilDrained();
    return [...throughputFigures(delivered), ...latencyFigures(delivered, 'post')];
  },
};
