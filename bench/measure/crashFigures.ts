import type { Sample } from '../results/report.js';
import type { DeliveredLoad } from './figures.js';

export const crashFigureNames = {
  lost: 'accepted and never delivered',
  repeated: 'delivered again',
  slowest: 'slowest event, from post to receiver',
} as const;

/** The losses, duplicates and delays of events around a crash. */
export function crashFigures({ report, arrivals }: DeliveredLoad): Sample {
  const { startedAt, acceptedAt } = report;
  const accepted = [...acceptedAt.keys()].filter((index) => !Number.isNaN(acceptedAt[index]));
  const times = arrivals.flatMap(({ arrivedAt }) =>
    accepted.map((index) => (arrivedAt[index] ?? NaN) - (startedAt[index] ?? NaN)),
  );
  const arrived = times.filter((time) => !Number.isNaN(time));
  return {
    [crashFigureNames.lost]: times.length - arrived.length,
    [crashFigureNames.repeated]: arrivals.reduce((sum, { repeated }) => sum + repeated, 0),
    [crashFigureNames.slowest]: arrived.reduce((slowest, time) => Math.max(slowest, time), 0) / 1000,
  };
}
