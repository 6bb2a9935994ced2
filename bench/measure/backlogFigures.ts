import type { LoadReport } from '../load/plans.js';
import type { Arrivals } from '../receiver/requests.js';
import type { Figure } from '../results/result.js';
import { throughputFigures, type DeliveredLoad } from './figures.js';

/** The figures with targets. */
export const backlogFigureNames = {
  accepted: 'accepted with a backlog / without',
  delivered: 'delivered with a backlog / without',
} as const;

export interface BacklogRun {
  /** The same load without a backlog. */
  readonly without: DeliveredLoad;
  /** Of the events that were posted during the delivery of the backlog. */
  readonly report: LoadReport;
  /** Of the backlog and of the events that were posted during its delivery. */
  readonly arrivals: readonly Arrivals[];
}

/** The rates of acceptance and delivery with a backlog, compared with those without one. */
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
    { name: 'accepted with a backlog', unit: '/s', value: accepted },
    { name: backlogFigureNames.accepted, unit: '×', value: accepted / acceptedWithout },
    { name: 'delivered without a backlog', unit: '/s', value: deliveredWithout },
    { name: 'delivered with a backlog, while others are posted', unit: '/s', value: delivered },
    { name: backlogFigureNames.delivered, unit: '×', value: delivered / deliveredWithout },
    { name: 'delivered from the first of the backlog until drained', unit: '/s', value: drained },
  ];
}
