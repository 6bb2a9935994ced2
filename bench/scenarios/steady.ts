import { figureNames, latenciesOf, usageFigures } from '../measure/figures.js';
import { atMost } from '../results/targets.js';
import type { Scenario } from './scenario.js';

const perSecond = 100;
const seconds = 4;
const quickSeconds = 2;
/**
 * The warm-up with the same load. V8 compiles hot code on the same two cores, and single events run other code than the thousands of
 * events of the common warm-up.
 */
const secondsBefore = 5;
/** The lead-in after the other pipeline's block: the most frequent code as fast as possible, then the same load. */
const leadInEvents = 3000;
const leadInSeconds = 2;
const load = { loop: 'open', perSecond } as const;

const names = { p50: 'p50 from due time to receiver', p99: 'p99 from due time to receiver' } as const;

/** A load that leaves the machine partly idle: the latency of a single event. */
export const steady: Scenario = {
  name: 'steady',
  description: `${perSecond} events a second at equal intervals, to one webhook`,
  webhooks: 1,
  isForBare: true,
  pairs: 8,
  rows: [
    {
      figure: names.p50,
      unit: 'ms',
      targets: [atMost(3)],
    },
    {
      figure: names.p99,
      unit: 'ms',
      targets: [atMost(8)],
    },
    { figure: figureNames.cpu, unit: 'ms' },
  ],
  prepare: async ({ quick, deliver }) => {
    await (quick ? null : deliver(perSecond * secondsBefore, load));
  },
  leadIn: async ({ deliver, untilDrained }) => {
    await deliver(leadInEvents, { loop: 'closed', connections: 50 });
    await untilDrained();
    await deliver(perSecond * leadInSeconds, load);
  },
  measure: async ({ quick, deliver, usage }) => {
    const count = perSecond * (quick ? quickSeconds : seconds);
    const before = await usage();
    const { p50, p99 } = latenciesOf(await deliver(count, load));
    const after = await usage();
    return [{ [names.p50]: p50, [names.p99]: p99, ...usageFigures(before, after, count) }];
  },
};
