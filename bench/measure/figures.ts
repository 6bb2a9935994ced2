import type { Figure } from '../report/result.js';
import type { DeliveredLoad, PipelineUsage, UsageByProcess } from '../scenarios/scenario.js';
import { summarizeLatencies } from './latencies.js';

const bytesPerMegabyte = 1e6;

/** Events a second, from the first post to the last answer and to the last arrival. */
export function throughputFigures({ report, arrivals }: DeliveredLoad): readonly Figure[] {
  const { startedAt, endedAt } = report;
  const begin = startedAt[0] ?? 0;
  const lastArrival = arrivals.reduce((latest, { arrivedAt }) => arrivedAt.reduce(later, latest), begin);
  const perSecond = (until: number) => (startedAt.length * 1000) / (until - begin);
  return [
    { name: 'accepted', unit: '/s', value: perSecond(endedAt) },
    { name: 'delivered until drained', unit: '/s', value: perSecond(lastArrival) },
  ];
}

/** From each event's post, or the moment at which it was due, to its arrival at each webhook. */
export function latencyFigures({ report, arrivals }: DeliveredLoad, since: string): readonly Figure[] {
  const latencies = arrivals.flatMap(({ arrivedAt }) =>
    Array.from(arrivedAt, (at, index) => at - (report.startedAt[index] ?? NaN)),
  );
  const { p50, p99 } = summarizeLatencies(latencies);
  return [
    { name: `p50 from ${since} to receiver`, unit: 'ms', value: p50 },
    { name: `p99 from ${since} to receiver`, unit: 'ms', value: p99 },
  ];
}

/** Processor time for each event, in sum and by process, and the memory of the pipeline's own processes. */
export function usageFigures(before: PipelineUsage, after: PipelineUsage, events: number): readonly Figure[] {
  const cpuMs = (group: keyof PipelineUsage, name: string) =>
    (after[group].get(name)?.cpuMs ?? 0) - (before[group].get(name)?.cpuMs ?? 0);
  const figuresOf = (group: keyof PipelineUsage, title: string): Figure[] => {
    const names = [...after[group].keys()];
    const total = names.reduce((sum, name) => sum + cpuMs(group, name), 0);
    const figure = (name: string, value: number): Figure => ({ name, unit: 'ms', value: value / events });
    return [
      figure(`CPU an event, ${title}`, total),
      ...names.map((name) => figure(`  ${name}`, cpuMs(group, name))),
    ];
  };
  return [
    ...figuresOf('own', 'own processes'),
    ...figuresOf('servers', 'servers'),
    { name: 'peak memory, own processes', unit: 'MB', value: peakMemory(after.own) / bytesPerMegabyte },
  ];
}

function peakMemory(usage: UsageByProcess): number {
  return [...usage.values()].reduce((sum, { peakMemoryBytes }) => sum + peakMemoryBytes, 0);
}

function later(left: number, right: number): number {
  return Math.max(left, right);
}
