import { latencyFigures, usageFigures } from '../measure/figures.js';
import type { Scenario } from './scenario.js';

const perSecond = 100;
const seconds = 30;
const quickSeconds = 5;

/** A load that leaves the machine idle most of the time: how long one event takes by itself. */
export const steady: Scenario = {
  name: 'steady',
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
