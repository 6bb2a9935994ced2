import { latencyNames, latencyWindows } from '../measure/figures.js';
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
    const without = await latenciesOf(context, alone);
    const [next] = await Promise.all([
      latenciesOf(context, withNeighbor),
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

async function latenciesOf(context: ScenarioContext, when: string): Promise<readonly Figure[]> {
  const delivered = await context.deliver(countOf(context), { loop: 'open', perSecond });
  return latencyWindows(delivered, 'due time').map((figure) => ({
    ...figure,
    name: nameOf(when, figure.name),
  }));
}
