import type { LoadReport } from '../load/plans.js';
import type { ProcessUsage } from '../processes/processUsage.js';
import type { Arrivals } from '../receiver/requests.js';
import type { Sample } from '../results/report.js';
import { summarizeLatencies, type LatencySummary } from './latencies.js';

/** Posted events that have reached every webhook. */
export interface DeliveredLoad {
  readonly report: LoadReport;
  /** By webhook. */
  readonly arrivals: readonly Arrivals[];
}

/** The resources that processes have used since their start, by process name. */
export interface PipelineUsage {
  readonly own: UsageByProcess;
  /** Kafka, MongoDB and Redis, which the pipelines share. */
  readonly servers: UsageByProcess;
}

export type UsageByProcess = ReadonlyMap<string, ProcessUsage>;

export const figureNames = {
  accepted: 'accepted',
  delivered: 'delivered, until the last arrival',
  deliveries: 'deliveries, until the last arrival',
  cpu: 'CPU time of an event, all together',
  serversCpu: 'CPU time of an event, servers',
  memory: 'memory after the drain',
  peakMemory: 'peak memory',
  restedMemory: 'memory a minute after the drain',
  idleCpu: 'CPU time when idle',
  idleServersCpu: 'CPU time when idle, servers',
} as const;

const bytesPerMegabyte = 1e6;

/** Events per second, from the first post to the last answer and to the last arrival; and deliveries per second. */
export function throughputFigures({ report, arrivals }: DeliveredLoad): Sample {
  const { startedAt, endedAt } = report;
  const begin = startedAt[0] ?? 0;
  const later = (left: number, right: number) => Math.max(left, right);
  const lastArrival = arrivals.reduce((latest, { arrivedAt }) => arrivedAt.reduce(later, latest), begin);
  const perSecond = (until: number) => (startedAt.length * 1000) / (until - begin);
  return {
    [figureNames.accepted]: perSecond(endedAt),
    [figureNames.delivered]: perSecond(lastArrival),
    [figureNames.deliveries]: perSecond(lastArrival) * arrivals.length,
  };
}

/** From each event's post, or the moment at which it was due, to its arrival at each webhook, in milliseconds. */
export function latenciesOf({ report, arrivals }: DeliveredLoad): LatencySummary {
  return summarizeLatencies(
    arrivals.flatMap(({ arrivedAt }) =>
      Array.from(arrivedAt, (at, index) => at - (report.startedAt[index] ?? NaN)),
    ),
  );
}

/** A scenario that cannot be repeated on the same pipeline divides its load. Enough values for an interval. */
const windows = 8;

/** Parts of a load of the same number of events, in order. */
export function windowsOf({ report, arrivals }: DeliveredLoad): readonly DeliveredLoad[] {
  const startOf = (window: number) => Math.floor((window * report.startedAt.length) / windows);
  return Array.from({ length: windows }, (_, index) => {
    const part = (times: Float64Array) => times.slice(startOf(index), startOf(index + 1));
    return {
      report: { ...report, startedAt: part(report.startedAt) },
      arrivals: arrivals.map((ofWebhook) => ({ ...ofWebhook, arrivedAt: part(ofWebhook.arrivedAt) })),
    };
  });
}

/** The name of the figure of one process of the pipeline: `api`, `projections`, `delivery`. */
export function cpuNameOf(process: string): string {
  return `CPU time of an event, ${process}`;
}

/** CPU time per event in milliseconds, in total and by process, and the memory of the pipeline's own processes. */
export function usageFigures(before: PipelineUsage, after: PipelineUsage, events: number): Sample {
  const own = cpuBetween(before.own, after.own);
  const servers = total(cpuBetween(before.servers, after.servers));
  return {
    [figureNames.cpu]: (total(own) + servers) / events,
    ...Object.fromEntries([...own].map(([name, cpuMs]) => [cpuNameOf(name), cpuMs / events])),
    [figureNames.serversCpu]: servers / events,
    [figureNames.memory]: memoryOf(after.own),
    [figureNames.peakMemory]: peakMemoryOf(after.own),
  };
}

/** CPU time without load, in percent of one core. */
export function idleFigures(before: PipelineUsage, after: PipelineUsage, elapsedMs: number): Sample {
  const ofACore = (cpuMs: number) => (cpuMs / elapsedMs) * 100;
  return {
    [figureNames.idleCpu]: ofACore(total(cpuBetween(before.own, after.own))),
    [figureNames.idleServersCpu]: ofACore(total(cpuBetween(before.servers, after.servers))),
    [figureNames.restedMemory]: memoryOf(before.own),
  };
}

/** The resident memory of all processes, in megabytes. */
function memoryOf(usage: UsageByProcess): number {
  return sum([...usage.values()].map(({ memoryBytes }) => memoryBytes)) / bytesPerMegabyte;
}

/** The sum of the peaks of the processes, in megabytes. */
export function peakMemoryOf(usage: UsageByProcess): number {
  return sum([...usage.values()].map(({ peakMemoryBytes }) => peakMemoryBytes)) / bytesPerMegabyte;
}

type CpuByProcess = ReadonlyMap<string, number>;

function cpuBetween(before: UsageByProcess, after: UsageByProcess): CpuByProcess {
  return new Map([...after].map(([name, { cpuMs }]) => [name, cpuMs - (before.get(name)?.cpuMs ?? 0)]));
}

function total(used: CpuByProcess): number {
  return sum([...used.values()]);
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
