import { figureNames, latencyFigures, throughputFigures } from '../measure/figures.js';
import type { Scenario, Variant } from './scenario.js';

const connections = 50;
const answersAfterMs = 50;

const byProcesses: readonly Variant[] = [
  { name: '1 delivery process' },
  { name: '2 delivery processes', deliveryProcesses: 2 },
  { name: '4 delivery processes', deliveryProcesses: 4 },
];

/** The effect of more processes and partitions if one process already uses the whole machine. */
export const scale = scaleOf({
  name: 'scale',
  description:
    '20,000 events with 1, 2 and 4 delivery processes on 12 partitions, and with one delivery process on 48',
  events: 20_000,
  variants: [...byProcesses, { name: '48 partitions', settings: { POSTRIDER_PARTITIONS: '48' } }],
});

/** The benefit of more processes if CPU time is left: each process has a bounded number of attempts in flight to a slow webhook. */
export const scaleWaiting = scaleOf({
  name: 'scaleWaiting',
  description: `5,000 events to a webhook that answers after ${answersAfterMs} ms, with 1, 2 and 4 delivery processes`,
  answersAfterMs,
  events: 5000,
  variants: byProcesses,
});

interface Shape extends Pick<Scenario, 'name' | 'description' | 'answersAfterMs'> {
  readonly events: number;
  readonly variants: readonly Variant[];
}

function scaleOf({ events, variants, ...shape }: Shape): Scenario {
  return {
    ...shape,
    webhooks: 1,
    pairs: 1,
    pipelines: ['service'],
    variants,
    plotted: variants.map(({ name }) => `${name}, ${figureNames.delivered}`),
    measure: async ({ quick, deliver, untilDrained }) => {
      const delivered = await deliver(quick ? events / 20 : events, { loop: 'closed', connections });
      await untilDrained();
      return [...throughputFigures(delivered), ...latencyFigures(delivered, 'post')];
    },
  };
}
