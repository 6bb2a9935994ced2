import { latencyFigures, latencyNames, usageFigures } from '../measure/figures.js';
import { atMost } from '../results/targets.js';
import type { Scenario } from './scenario.js';

const seconds = 8;
const quickSeconds = 2;
/**
 * The warm-up with the same load. V8 compiles hot code on the same two cores, and single events run other code than the thousands of
 * events of the common warm-up.
 */
const secondsBefore = 15;
/** The lead-in after the other pipeline's block: the most frequent code as fast as possible, then the same load. */
const leadInEvents = 5000;
const leadInSeconds = 4;

/** A load that leaves the machine partly idle: the latency of a single event. */
export const steady = steadyAt({ name: 'steady', perSecond: 100, p50: 3, p99: 8 });

/** The same at a rate at which events compete for the CPU. */
export const steady500 = steadyAt({ name: 'steady500', perSecond: 500, p50: 3.5, p99: 11 });

interface Rate {
  readonly name: string;
  readonly perSecond: number;
  /** The targets, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

function steadyAt({ name, perSecond, p50, p99 }: Rate): Scenario {
  const names = latencyNames('due time');
  return {
    name,
    description: `${perSecond} events a second at equal intervals, to one webhook, after a warm-up of ${secondsBefore} s`,
    webhooks: 1,
    pairsPerStart: 10,
    targets: [atMost(names.p50, p50, 'ms'), atMost(names.p99, p99, 'ms')],
    plotted: [names.p50, names.p99],
    warmUp: ({ deliver }) => deliver(perSecond * secondsBefore, { loop: 'open', perSecond }),
    leadIn: async ({ deliver, untilDrained }) => {
      await deliver(leadInEvents, { loop: 'closed', connections: 50 });
      await untilDrained();
      await deliver(perSecond * leadInSeconds, { loop: 'open', perSecond });
    },
    measure: async ({ quick, deliver, usage }) => {
      const load = { loop: 'open', perSecond } as const;
      const count = perSecond * (quick ? quickSeconds : seconds);
      const before = await usage();
      const delivered = await deliver(count, load);
      const after = await usage();
      return [...latencyFigures(delivered, 'due time'), ...usageFigures(before, after, count)];
    },
  };
}
