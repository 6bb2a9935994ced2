import { latencyFigures, latencyNames, usageFigures } from '../measure/figures.js';
import { atMost } from '../report/bars.js';
import type { Scenario } from './scenario.js';

const seconds = 30;
const quickSeconds = 2;
/**
 * For so long the same load comes before it is measured. Engines compile what runs often, on the same two cores, and events that come
 * one by one run other code often than the thousands at once that warm everything up: after ten seconds half of that is over.
 */
const secondsBefore = 15;

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
    description: `${perSecond} events a second, each at its time, one webhook, after ${secondsBefore} s of the same`,
    webhooks: 1,
    bars: [atMost(names.p50, p50, 'ms'), atMost(names.p99, p99, 'ms')],
    plotted: [names.p50, names.p99],
    measure: async ({ quick, deliver, usage }) => {
      const load = { loop: 'open', perSecond } as const;
      const count = perSecond * (quick ? quickSeconds : seconds);
      await (quick ? undefined : deliver(perSecond * secondsBefore, load));
      const before = await usage();
      const delivered = await deliver(count, load);
      const after = await usage();
      return [...latencyFigures(delivered, 'due time'), ...usageFigures(before, after, count)];
    },
  };
}
