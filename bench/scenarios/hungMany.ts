import { createHangingAccounts } from '../fixtures/hangingAccounts.js';
import { figureNames, latenciesOf, peakMemoryOf, windowsOf } from '../measure/figures.js';
import { atMost } from '../results/targets.js';
import type { Scenario, ScenarioContext } from './scenario.js';

const sizes = { accounts: 500, webhooksEach: 20 };
const quickSizes = { accounts: 5, webhooksEach: 4 };
/** To ten webhooks, so it is 200 deliveries a second. */
const perSecond = 20;
const aloneSeconds = 20;
const hangingSeconds = 60;
const quickFraction = 1 / 20;

const names = {
  alone: 'p99 alone',
  hanging: 'p99 next to webhooks that hang',
  ratio: 'p99 next to webhooks that hang / alone',
} as const;

/** Whether 10,000 hanging webhooks of other accounts delay ten healthy ones. */
export const hungMany: Scenario = {
  name: 'hungMany',
  description:
    '200 deliveries a second to ten webhooks, alone and next to 10,000 webhooks of 500 accounts that hang',
  webhooks: 10,
  isForBare: false,
  pairs: 1,
  rows: [
    { figure: names.alone, unit: 'ms' },
    { figure: names.hanging, unit: 'ms' },
    { figure: names.ratio, unit: '×', targets: [atMost(3)] },
    { figure: figureNames.peakMemory, unit: 'MB', targets: [atMost(700)] },
  ],
  measure: async (context) => {
    const { quick, pipelineOptions, receiver, untilDrained, usage } = context;
    const { accounts, webhooksEach } = quick ? quickSizes : sizes;
    await receiver.hang(true);
    const hangingAccounts = await createHangingAccounts(
      pipelineOptions.config,
      { accounts, webhooksEach },
      receiver.hangingUrl,
    );
    await untilDrained();
    const alone = await p99s(context, aloneSeconds);
    // Each webhook that hangs gets one event.
    const [hanging] = await Promise.all([
      p99s(context, hangingSeconds),
      hangingAccounts.appendEvents(accounts, accounts / secondsOf(context, hangingSeconds)),
    ]);
    const peakMemory = peakMemoryOf((await usage()).own);
    await receiver.hang(false);
    return hanging.map((p99, index) => ({
      [names.alone]: alone[index] ?? NaN,
      [names.hanging]: p99,
      [names.ratio]: p99 / (alone[index] ?? NaN),
      [figureNames.peakMemory]: peakMemory,
    }));
  },
};

function secondsOf({ quick }: ScenarioContext, seconds: number): number {
  return quick ? seconds * quickFraction : seconds;
}

/** The 99th percentile of each window, from the due time of an event to its arrival. */
async function p99s(context: ScenarioContext, seconds: number): Promise<readonly number[]> {
  const count = Math.round(perSecond * secondsOf(context, seconds));
  const load = await context.deliver(count, { loop: 'open', perSecond });
  return windowsOf(load).map((window) => latenciesOf(window).p99);
}
