import { latencyFigures, latencyNames } from '../measure/figures.js';
import { atMost } from '../report/bars.js';
import type { Figure } from '../report/result.js';
import type { Bench, Scenario } from './scenario.js';

const perSecond = 100;
const seconds = 180;
const quickSeconds = 3;
const answersAfterMs = 10_000;
const alone = 'alone';
const besideIt = 'beside it';
const { p50, p99 } = latencyNames('due time');

/** Whether one webhook that hangs holds back another: the same load alone and beside it. */
export const hungNeighbour: Scenario = {
  name: 'hungNeighbour',
  description: `${perSecond} events a second to one webhook, alone and beside ${perSecond} to one that answers after ${answersAfterMs / 1000} s`,
  webhooks: 1,
  neighbourAnswersAfterMs: answersAfterMs,
  // The bare pipeline posts one event after the other: beside this neighbour it stands still.
  pipelines: ['service'],
  bars: [atMost(nameOf(besideIt, p99), 12, 'ms')],
  plotted: [alone, besideIt].flatMap((when) => [nameOf(when, p50), nameOf(when, p99)]),
  measure: async (bench) => {
    const without = await latenciesOf(bench, alone);
    const [beside] = await Promise.all([
      latenciesOf(bench, besideIt),
      bench.postAsNeighbour(countOf(bench), { loop: 'open', perSecond }),
    ]);
    return [...without, ...beside];
  },
};

function nameOf(when: string, figure: string): string {
  return `${when}: ${figure}`;
}

function countOf({ quick }: Bench): number {
  return perSecond * (quick ? quickSeconds : seconds);
}

async function latenciesOf(bench: Bench, when: string): Promise<readonly Figure[]> {
  const delivered = await bench.deliver(countOf(bench), { loop: 'open', perSecond });
  return latencyFigures(delivered, 'due time').map((figure) => ({
    ...figure,
    name: nameOf(when, figure.name),
  }));
}
