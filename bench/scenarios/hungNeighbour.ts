import { latencyFigures } from '../measure/figures.js';
import type { Figure } from '../report/result.js';
import type { Bench, Scenario } from './scenario.js';

const perSecond = 100;
const seconds = 60;
const quickSeconds = 3;
const answersAfterMs = 10_000;

/** Whether one webhook that hangs holds back another: the same load alone and beside it. */
export const hungNeighbour: Scenario = {
  name: 'hungNeighbour',
  description: `${perSecond} events a second to one webhook, alone and beside ${perSecond} to one that answers after ${answersAfterMs / 1000} s`,
  webhooks: 1,
  neighbourAnswersAfterMs: answersAfterMs,
  // The bare pipeline posts one event after the other: beside this neighbour it stands still.
  pipelines: ['service'],
  measure: async (bench) => {
    const alone = await latenciesOf(bench, 'alone');
    const [beside] = await Promise.all([
      latenciesOf(bench, 'beside it'),
      bench.postAsNeighbour(countOf(bench), { loop: 'open', perSecond }),
    ]);
    return [...alone, ...beside];
  },
};

function countOf({ quick }: Bench): number {
  return perSecond * (quick ? quickSeconds : seconds);
}

async function latenciesOf(bench: Bench, when: string): Promise<readonly Figure[]> {
  const delivered = await bench.deliver(countOf(bench), { loop: 'open', perSecond });
  return latencyFigures(delivered, 'due time').map((figure) => ({
    ...figure,
    name: `${when}: ${figure.name}`,
  }));
}
