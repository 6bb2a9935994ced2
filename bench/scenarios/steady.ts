import { latencyFigures, latencyNames, usageFigures } from '../measure/figures.js';
import { atMost } from '../report/bars.js';
import type { Scenario } from './scenario.js';

const seconds = 30;
const quickSeconds = 2;

/** A load that leaves the machine idle some of the time: how long one event takes by itself. */
export const steady = steadyAt({ name: 'steady', perSecond: 100, p50: 3, p99: 8 });

/** The same at a rate at which events begin to meet each other. */
export const steady500 = steadyAt({ name: 'steady500', perSecond: 500, p50: 3.5, p99: 11 });

interface Rate {
  readonly name: string;
  readonly perSecond: number;
  /** The most that these may be, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

function steadyAt({ name, perSecond, p50, p99 }: Rate): Scenario {
  const names = latencyNames('due time');
  return {
    name,
    description: `${perSecond} events a second, each at its time, one webhook`,
    webhooks: 1,
    bars: [atMost(names.p50, p50, 'ms'), atMost(names.p99, p99, 'ms')],
    plotted: [names.p50, names.p99],
    measure: async ({ quick, deliver, usage }) => {
      const count = perSecond * (quick ? quickSeconds : seconds);
      const before = await usage();
      const delivered = await deliver(count, { loop: 'open', perSecond });
      const after = await usage();
      return [...latencyFigures(delivered, 'due time'), ...usageFigures(before, after, count)];
    },
  };
}
