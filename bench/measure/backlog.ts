import type { LoadReport } from '../load/plans.js';
import type { Arrivals } from '../receiver/questions.js';
import type { Figure } from '../report/result.js';
import type { DeliveredLoad } from '../scenarios/scenario.js';
import { throughputFigures } from './figures.js';

/** Shares that bars are set for. */
export const backlogFigureNames = {
  accepted: 'accepted beside a backlog / without',
  delivered: 'delivered beside a backlog / without',
} as const;

export interface BacklogRun {
  /** The same load with nothing waiting. */
  readonly without: DeliveredLoad;
  /** Of what was posted while the backlog was being delivered. */
  readonly report: LoadReport;
  /** Of the backlog and of what was posted beside it. */
  readonly arrivals: readonly Arrivals[];
}

/** What was accepted and delivered a second while new events met a backlog, beside the same without one. */
export function backlogFigures({ without, report, arrivals }: BacklogRun): readonly Figure[] {
  const [acceptedWithout = 0, deliveredWithout = 0] = throughputFigures(without).map(({ value }) => value);
  const [begin = 0] = report.startedAt;
  const seconds = (report.endedAt - begin) / 1000;
  const times = arrivals.flatMap(({ arrivedAt }) => [...arrivedAt]).sort((left, right) => left - right);
  const accepted = report.accepted / seconds;
  const delivered = times.filter((time) => time >= begin && time <= report.endedAt).length / seconds;
  const drained = (times.length * 1000) / ((times.at(-1) ?? 0) - (times[0] ?? 0));
  return [
    { name: 'accepted without a backlog', unit: '/s', value: acceptedWithout },
    { name: 'accepted beside a backlog', unit: '/s', value: accepted },
    { name: backlogFigureNames.accepted, unit: '×', value: accepted / acceptedWithout },
    { name: 'delivered without a backlog', unit: '/s', value: deliveredWithout },
    { name: 'delivered beside a backlog, while others are posted', unit: '/s', value: delivered },
    { name: backlogFigureNames.delivered, unit: '×', value: delivered / deliveredWithout },
    { name: 'delivered from the first of the backlog until drained', unit: '/s', value: drained },
  ];
}
