import { createWebhook } from '../fixtures/endpoint.js';
import { measuredType } from '../load/eventBody.js';
import { latenciesOf, latencyNames, latencyWindows, partOf, windowsOf } from '../measure/figures.js';
import type { DeliveredLoad } from '../measure/figures.js';
import { atMost } from '../results/targets.js';
import type { Figure } from '../results/result.js';
import type { ScenarioContext, Scenario } from './scenario.js';

const perSecond = 100;
const seconds = 90;
const quickSeconds = 3;
const answersAfterMs = 10_000;
const alone = 'alone';
const withNeighbor = 'with the neighbor';
const { p50, p99 } = latencyNames('due time');

/** Whether a hanging webhook delays another one: the same load alone and next to it. */
export const hungNeighbor: Scenario = {
  name: 'hungNeighbor',
  description: `${perSecond} events a second to one webhook, alone and next to ${perSecond} to a webhook that answers after ${answersAfterMs / 1000} s`,
  webhooks: 1,
  pairs: 1,
  neighborAnswersAfterMs: answersAfterMs,
  // The neighbor blocks the bare pipeline, which has one queue for all webhooks.
  pipelines: ['service'],
  targets: [atMost(nameOf(withNeighbor, p99), 12, 'ms')],
  plotted: [alone, withNeighbor].flatMap((when) => [nameOf(when, p50), nameOf(when, p99)]),
  measure: async (context) => {
    const without = await figuresOf(context, alone);
    const [next] = await Promise.all([
      figuresOf(context, withNeighbor),
      context.postAsNeighbor(countOf(context), { loop: 'open', perSecond }),
    ]);
    return [...without, ...next];
  },
};

function nameOf(when: string, figure: string): string {
  return `${when}, ${figure}`;
}

function countOf({ quick }: ScenarioContext): number {
  return perSecond * (quick ? quickSeconds : seconds);
}

async function figuresOf(context: ScenarioContext, when: string): Promise<readonly Figure[]> {
  const delivered = await context.deliver(countOf(context), { loop: 'open', perSecond });
  return latencyWindows(delivered, 'due time').map((figure) => ({
    ...figure,
    name: nameOf(when, figure.name),
  }));
}

const twenty = {
  webhooks: 20,
  perSecond: 20,
  secondsEach: 60,
  /**
   * The time from which the service knows that the webhooks hang: the time limit of an attempt, the first retry, and the
   * attempts that were in flight at their ends.
   */
  onsetSeconds: 22,
};
const onset = 'while the others begin to hang';
const hanging = 'while the others hang';
const answering = 'while the others answer';
const ratio = 'p95 while the others hang / answer';

/** Whether twenty webhooks of an account delay another one more if they hang than if they answer. */
export const hungTwenty = hungOthers('hungTwenty', 0);
export const hungTwentyBusy = hungOthers('hungTwentyBusy', 2);

/** @param takenCores the number of programs that each take a core meanwhile */
function hungOthers(name: string, takenCores: number): Scenario {
  const { webhooks, perSecond: rate, secondsEach, onsetSeconds } = twenty;
  const busy = takenCores === 0 ? '' : `, while ${takenCores} other programs take the cores`;
  return {
    name,
    description: `${rate} events a second to a webhook next to ${webhooks} that answer or hang${busy}`,
    webhooks: 1,
    pairs: 1,
    takenCores,
    pipelines: ['service'],
    targets: [atMost(ratio, 1.5, '×')],
    measure: async (context) => {
      const speedUp = context.quick ? 30 : 1;
      const deliver = async (hangingShare: number) => {
        await context.hanging.recover(hangingShare);
        return context.deliver((rate * secondsEach) / speedUp, { loop: 'open', perSecond: rate });
      };
      for (let webhook = 0; webhook < webhooks; webhook += 1) {
        await createWebhook(context.endpoint, {
          url: context.hanging.hangingUrl(webhook),
          events: [measuredType],
        });
      }
      const whileAnswering = await deliver(0);
      const whileHanging = await deliver(1);
      await context.hanging.recover(0);
      const known = Math.ceil((rate * onsetSeconds) / speedUp);
      const before = p95sOf(whileAnswering);
      const after = p95sOf(partOf(whileHanging, known));
      return [
        ...figuresIn(answering, before),
        ...figuresIn(onset, p95sOf(partOf(whileHanging, 0, known))),
        ...figuresIn(hanging, after),
        ...after.map((p95, index): Figure => ({
          name: ratio,
          unit: '×',
          value: p95 / (before[index] ?? NaN),
        })),
      ];
    },
  };
}

/** The 95th percentile of each window of a load, from the due time of an event to its arrival. */
function p95sOf(load: DeliveredLoad): readonly number[] {
  return windowsOf(load).map((window) => latenciesOf(window).p95);
}

function figuresIn(when: string, p95s: readonly number[]): readonly Figure[] {
  return p95s.map((value) => ({ name: `${when}, p95 from due time to receiver`, unit: 'ms', value }));
}
