import { latenciesOf, windowsOf, type DeliveredLoad } from '../measure/figures.js';
import type { Row } from '../results/rows.js';
import { atMost } from '../results/targets.js';
import { onsetSeconds, prepareHangingWebhooks } from './hangingWebhooks.js';
import type { Scenario, ScenarioContext } from './scenario.js';

const webhooks = 20;
const perSecond = 20;
const secondsEach = 20;
const quickFraction = 1 / 30;
const takenCores = 2;

const names = {
  onset: 'p95 while the others begin to hang',
  quiet: namesOf('p95'),
  busy: namesOf('p95 with busy cores'),
};

function namesOf(p95: string) {
  return {
    answering: `${p95}, while the others answer`,
    hanging: `${p95}, while the others hang`,
    ratio: `${p95}, hang / answer`,
  };
}

/** Whether twenty webhooks of an account delay another one more if they hang than if they answer, also if the cores are busy. */
export const hungTwenty: Scenario = {
  name: 'hungTwenty',
  description: `${perSecond} events a second to a webhook next to ${webhooks} that answer or hang, alone and next to ${takenCores} programs that take the cores`,
  webhooks: 1,
  // A webhook that hangs blocks the bare pipeline, which has one queue for all webhooks.
  isForBare: false,
  pairs: 1,
  rows: [...rowsOf(names.quiet), { figure: names.onset, unit: 'ms' }, ...rowsOf(names.busy)],
  prepare: (context) => prepareHangingWebhooks(context, webhooks),
  measure: async (context) => {
    const { receiver, takeCores } = context;
    await receiver.hang(false);
    const answering = await p95s(context, secondsEach);
    let freeCores = await takeCores(takenCores);
    const busyAnswering = await p95s(context, secondsEach);
    await freeCores();

    await receiver.hang(true);
    const [onset = NaN] = await p95s(context, onsetSeconds, (load) => [load]);
    const hanging = await p95s(context, secondsEach);
    freeCores = await takeCores(takenCores);
    const busyHanging = await p95s(context, secondsEach);
    await freeCores();
    await receiver.hang(false);
    return hanging.map((_, index) => ({
      [names.onset]: onset,
      ...compared(names.quiet, answering[index] ?? NaN, hanging[index] ?? NaN),
      ...compared(names.busy, busyAnswering[index] ?? NaN, busyHanging[index] ?? NaN),
    }));
  },
};

type Names = ReturnType<typeof namesOf>;

function rowsOf({ answering, hanging, ratio }: Names): readonly Row[] {
  return [
    { figure: answering, unit: 'ms' },
    { figure: hanging, unit: 'ms' },
    { figure: ratio, unit: '×', targets: [atMost(1.5)] },
  ];
}

function compared({ answering, hanging, ratio }: Names, before: number, after: number) {
  return { [answering]: before, [hanging]: after, [ratio]: after / before };
}

/** The 95th percentile of each part of a load, from the due time of an event to its arrival. */
async function p95s(
  { quick, deliver }: ScenarioContext,
  seconds: number,
  partsOf: (load: DeliveredLoad) => readonly DeliveredLoad[] = windowsOf,
): Promise<readonly number[]> {
  const count = Math.ceil(perSecond * seconds * (quick ? quickFraction : 1));
  const load = await deliver(count, { loop: 'open', perSecond });
  return partsOf(load).map((part) => latenciesOf(part).p95);
}
