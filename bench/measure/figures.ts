import type { LoadReport } from '../load/plans.js';
import type { ProcessUsage } from '../processes/processUsage.js';
import type { Arrivals } from '../receiver/requests.js';
import type { Figure } from '../results/result.js';
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

/** The names of figures with targets. Reports contain these names. */
export const figureNames = {
  accepted: 'accepted',
  delivered: 'delivered until drained',
  deliveries: 'deliveries until drained',
  processorTime: 'CPU an event, all together',
  memory: 'memory after the drain, own processes',
  restedMemory: 'memory a minute after the drain, own processes',
  idle: 'CPU when idle, own processes',
} as const;

const bytesPerMegabyte = 1e6;

/** Events per second, from the first post to the last answer and to the last arrival. With several webhooks also the deliveries. */
export function throughputFigures({ report, arrivals }: DeliveredLoad): readonly Figure[] {
  const { startedAt, endedAt } = report;
  const begin = startedAt[0] ?? 0;
  const lastArrival = arrivals.reduce((latest, { arrivedAt }) => arrivedAt.reduce(later, latest), begin);
  const perSecond = (until: number) => (startedAt.length * 1000) / (until - begin);
  const delivered = perSecond(lastArrival);
  const figures: readonly Figure[] = [
    { name: figureNames.accepted, unit: '/s', value: perSecond(endedAt) },
    { name: figureNames.delivered, unit: '/s', value: delivered },
  ];
  return arrivals.length === 1
    ? figures
    : [...figures, { name: figureNames.deliveries, unit: '/s', value: delivered * arrivals.length }];
}

/** @param since the start of the measured time */
export function latencyNames(since: string): { readonly p50: string; readonly p99: string } {
  return { p50: `p50 from ${since} to receiver`, p99: `p99 from ${since} to receiver` };
}

/** From each event's post, or the moment at which it was due, to its arrival at each webhook. */
export function latenciesOf({ report, arrivals }: DeliveredLoad): LatencySummary {
  return summarizeLatencies(
    arrivals.flatMap(({ arrivedAt }) =>
      Array.from(arrivedAt, (at, index) => at - (report.startedAt[index] ?? NaN)),
    ),
  );
}

/** The figures of these latencies, with the names of `latencyNames`. */
export function latencyFigures(load: DeliveredLoad, since: string): readonly Figure[] {
  const { p50, p99 } = latenciesOf(load);
  const names = latencyNames(since);
  return [
    { name: names.p50, unit: 'ms', value: p50 },
    { name: names.p99, unit: 'ms', value: p99 },
  ];
}

/** A scenario that cannot be repeated on the same pipeline divides its load. Enough values for an interval. */
const windows = 8;

/** The latency figures of each window of a load, in order: every figure occurs once for each window. */
export function latencyWindows(load: DeliveredLoad, since: string): readonly Figure[] {
  return windowsOf(load).flatMap((window) => latencyFigures(window, since));
}

/** Parts of a load of the same number of events, in order. */
export function windowsOf(load: DeliveredLoad): readonly DeliveredLoad[] {
  const size = Math.ceil(load.report.startedAt.length / windows);
  return Array.from({ length: windows }, (_, index) => partOf(load, index * size, (index + 1) * size));
}

/** The events of a load from one index to another, which is excluded. */
export function partOf({ report, arrivals }: DeliveredLoad, from: number, to?: number): DeliveredLoad {
  const part = (times: Float64Array) => times.slice(from, to);
  return {
    report: { ...report, startedAt: part(report.startedAt) },
    arrivals: arrivals.map((ofWebhook) => ({ ...ofWebhook, arrivedAt: part(ofWebhook.arrivedAt) })),
  };
}

/** CPU time per event, in total and by process, and the memory of the pipeline's own processes. */
export function usageFigures(before: PipelineUsage, after: PipelineUsage, events: number): readonly Figure[] {
  const anEvent = (name: string, cpuMs: number): Figure => ({ name, unit: 'ms', value: cpuMs / events });
  const own = cpuBetween(before.own, after.own);
  const servers = cpuBetween(before.servers, after.servers);
  const byProcess = (used: CpuByProcess) => [...used].map(([name, cpuMs]) => anEvent(`  ${name}`, cpuMs));
  return [
    anEvent(figureNames.processorTime, total(own) + total(servers)),
    anEvent('CPU an event, own processes', total(own)),
    ...byProcess(own),
    anEvent('CPU an event, servers', total(servers)),
    ...byProcess(servers),
    ...memoryFigures(after.own),
  ];
}

/** The resident memory of the pipeline's own processes, and its peak. */
export function memoryFigures(usage: UsageByProcess): readonly Figure[] {
  return [
    memoryFigure(figureNames.memory, usage),
    inAll('peak memory, own processes', usage, ({ peakMemoryBytes }) => peakMemoryBytes),
  ];
}

/** The resident memory of the pipeline's own processes. */
export function memoryFigure(name: string, usage: UsageByProcess): Figure {
  return inAll(name, usage, ({ memoryBytes }) => memoryBytes);
}

function inAll(name: string, usage: UsageByProcess, bytesOf: (usage: ProcessUsage) => number): Figure {
  const bytes = [...usage.values()].reduce((sum, process) => sum + bytesOf(process), 0);
  return { name, unit: 'MB', value: bytes / bytesPerMegabyte };
}

/** CPU time without load, as a share of one core, in total and by process. */
export function idleFigures(
  before: PipelineUsage,
  after: PipelineUsage,
  elapsedMs: number,
): readonly Figure[] {
  const ofACore = (name: string, cpuMs: number): Figure => ({
    name,
    unit: '% of a core',
    value: (cpuMs / elapsedMs) * 100,
  });
  const own = cpuBetween(before.own, after.own);
  return [
    ofACore(figureNames.idle, total(own)),
    ...[...own].map(([name, cpuMs]) => ofACore(`  ${name}`, cpuMs)),
    ofACore('CPU when idle, servers', total(cpuBetween(before.servers, after.servers))),
  ];
}

type CpuByProcess = ReadonlyMap<string, number>;

function cpuBetween(before: UsageByProcess, after: UsageByProcess): CpuByProcess {
  return new Map([...after].map(([name, { cpuMs }]) => [name, cpuMs - (before.get(name)?.cpuMs ?? 0)]));
}

function total(used: CpuByProcess): number {
  return [...used.values()].reduce((sum, cpuMs) => sum + cpuMs, 0);
}

function later(left: number, right: number): number {
  return Math.max(left, right);
}
