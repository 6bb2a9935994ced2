import { setTimeout as pause } from 'node:timers/promises';

import { createHangingAccounts } from '../fixtures/hangingAccounts.js';
import { latencyNames, latencyWindows, memoryFigures } from '../measure/figures.js';
import { atMost } from '../results/targets.js';
import type { Figure } from '../results/result.js';
import type { ScenarioContext, Scenario } from './scenario.js';

const sizes = { accounts: 500, webhooksEach: 20 };
const quickSizes = { accounts: 5, webhooksEach: 4 };
/** Every webhook that hangs gets so many events. */
const eventsOfEach = 2;
/** To ten webhooks, so it is 200 deliveries a second. */
const perSecond = 20;
const aloneSeconds = 45;
const hangingSeconds = 120;
const recoveredSeconds = 60;
/** Of the deliveries to webhooks that have recovered. */
const hangingShare = 0.01;
/** Between two attempts of a delivery is a minute at most, and the slots of those that still hang free up within 15 s. */
const timeoutMs = 600_000;
const pollMs = 1000;

const names = {
  alone: 'alone',
  hanging: 'with hanging webhooks',
  recovered: 'with webhooks of which 1 % hang at random',
  lost: 'deliveries to hanging webhooks that were lost',
  late: 'last delivery after the recovery',
  ratio: 'p99 with hanging webhooks / alone',
  recoveredRatio: 'p99 with webhooks of which 1 % hang / alone',
} as const;

/** Whether 10,000 hanging webhooks delay ten healthy ones, and whether their own deliveries are lost. */
export const hungMany: Scenario = {
  name: 'hungMany',
  description:
    '200 deliveries a second to ten webhooks, alone and next to 10,000 webhooks of 500 accounts that hang',
  webhooks: 10,
  pairs: 1,
  pipelines: ['service'],
  variants: [
    { name: '', settings: { POSTRIDER_RETRY_SCHEDULE: ['5s', ...Array<string>(12).fill('1m')].join(',') } },
  ],
  targets: [
    atMost(names.ratio, 3, '×'),
    atMost(names.recoveredRatio, 3, '×'),
    atMost(names.lost, 0, 'events'),
    atMost('peak memory, own processes', 700, 'MB'),
  ],
  measure: async (context) => {
    const { accounts, webhooksEach } = context.quick ? quickSizes : sizes;
    const hanging = await createHangingAccounts(
      context.pipelineOptions.config,
      { accounts, webhooksEach },
      context.hanging.hangingUrl,
    );
    await context.untilDrained();
    const alone = await latenciesOf(context, aloneSeconds);
    const events = accounts * eventsOfEach;
    const [nextToHanging] = await Promise.all([
      latenciesOf(context, hangingSeconds),
      hanging.appendEvents(events, events / secondsOf(context, hangingSeconds)),
    ]);
    await context.hanging.recover(hangingShare);
    const recoveredAt = performance.now();
    const expected = events * webhooksEach;
    const [after, lost] = await Promise.all([
      latenciesOf(context, recoveredSeconds),
      untilAnswered(context, expected),
    ]);
    const lateSeconds = (performance.now() - recoveredAt) / 1000;
    const { own } = await context.usage();
    return [
      ...named(names.alone, alone),
      ...named(names.hanging, nextToHanging),
      ...named(names.recovered, after),
      ...ratiosOf(names.ratio, nextToHanging, alone),
      ...ratiosOf(names.recoveredRatio, after, alone),
      { name: names.lost, unit: 'events', value: lost },
      { name: names.late, unit: 's', value: lateSeconds },
      ...memoryFigures(own),
    ];
  },
};

function secondsOf({ quick }: ScenarioContext, seconds: number): number {
  return quick ? seconds / 30 : seconds;
}

async function latenciesOf(context: ScenarioContext, seconds: number): Promise<readonly Figure[]> {
  const count = Math.round(perSecond * secondsOf(context, seconds));
  return latencyWindows(await context.deliver(count, { loop: 'open', perSecond }), 'due time');
}

function named(when: string, figures: readonly Figure[]): readonly Figure[] {
  return figures.map((figure) => ({ ...figure, name: `${when}, ${figure.name}` }));
}

/** The ratio of the latencies in each window. */
function ratiosOf(name: string, figures: readonly Figure[], toFigures: readonly Figure[]): readonly Figure[] {
  const references = p99sIn(toFigures);
  return p99sIn(figures).map((p99, index) => ({ name, unit: '×', value: p99 / (references[index] ?? NaN) }));
}

function p99sIn(figures: readonly Figure[]): readonly number[] {
  return figures.filter(({ name }) => name === latencyNames('due time').p99).map(({ value }) => value);
}

/** @returns how many deliveries were not answered in time */
async function untilAnswered({ hanging }: ScenarioContext, expected: number): Promise<number> {
  const deadline = performance.now() + timeoutMs;
  let answered = await hanging.answeredByHanging();
  while (answered < expected && performance.now() < deadline) {
    await pause(pollMs);
    answered = await hanging.answeredByHanging();
  }
  return expected - answered;
}
