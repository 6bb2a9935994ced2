import type { Figure } from '../results/result.js';
import type { DeliveredLoad } from './figures.js';
import { longestGapMs } from './rates.js';

/** The figures with targets. */
export const crashFigureNames = {
  lost: 'accepted and never delivered',
  repeated: 'delivered again',
  slowest: 'slowest event, from post to receiver',
} as const;

/** The losses, duplicates and delays of events around a crash. */
export function crashFigures({ report, arrivals }: DeliveredLoad): readonly Figure[] {
  const { startedAt, acceptedAt } = report;
  const accepted = [...acceptedAt.keys()].filter((index) => !Number.isNaN(acceptedAt[index]));
  const times = arrivals.flatMap(({ arrivedAt }) =>
    accepted.map((index) => (arrivedAt[index] ?? NaN) - (startedAt[index] ?? NaN)),
  );
  const arrived = times.filter((time) => !Number.isNaN(time));
  const slowestMs = arrived.reduce((slowest, time) => Math.max(slowest, time), 0);
  const gapMs = longestGapMs(arrivals.flatMap(({ arrivedAt }) => [...arrivedAt]));
  return [
    { name: crashFigureNames.lost, unit: 'events', value: times.length - arrived.length },
    {
      name: crashFigureNames.repeated,
      unit: 'events',
      value: arrivals.reduce((sum, { repeated }) => sum + repeated, 0),
    },
    { name: crashFigureNames.slowest, unit: 's', value: slowestMs / 1000 },
    { name: 'longest time in which nothing was accepted', unit: 's', value: longestGapMs(acceptedAt) / 1000 },
    { name: 'longest time in which nothing arrived', unit: 's', value: gapMs / 1000 },
  ];
}
