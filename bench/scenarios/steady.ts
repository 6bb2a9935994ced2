import { latencyFigures, usageFigures } from '../measure/figures.js';
import type { Scenario } from './scenario.js';

const seconds = 30;
const quickSeconds = 3;

/** A load that leaves the machine idle some of the time: how long one event takes by itself. */
export const steady = steadyAt(100, 'steady');

/** The same at a rate at which events begin to meet each other. */
export const steady500 = steadyAt(500, 'steady500');

function steadyAt(perSecond: number, name: string): Scenario {
  return {
    name,
    description: `${perSecond} events a second, each at its time, one webhook`,
    webhooks: 1,
    measure: async ({ quick, deliver, usage }) => {
      const count = perSecond * (quick ? quickSeconds : seconds);
      const before = await usage();
      const delivered = await deliver(count, { loop: 'open', perSecond });
      const after = await usage();
      return [...latencyFigures(delivered, 'due time'), ...usageFigures(before, after, count)];
    },
  };
}
