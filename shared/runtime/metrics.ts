import { performance } from 'node:perf_hooks';

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import { singleFlight } from '../concurrency/singleFlight.js';
import { withTimeout } from '../concurrency/withTimeout.js';
import { eventTypeMetrics, requestMetrics } from './apiMetrics.js';

export type Metrics = ReturnType<typeof createMetrics>;

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60];

/**
 * The upper bounds of histogram buckets for long durations, in seconds. The last histogram bucket exceeds the longest
 * duration of a setting, 24 days.
 */
const longerSeconds = [120, 300, 600, 1800, 3600, 4 * 3600, 12 * 3600, 86_400, 7 * 86_400, 30 * 86_400];

/**
 * The bounds of histogram buckets beyond a time limit. Without a bucket beyond the limit, a percentile near the limit
 * would be unknown.
 */
function secondsBeyond(limitMs: number): number[] {
  const longest = longerSeconds.findIndex((bucket) => bucket * 1000 > limitMs);
  const isReached = seconds.some((bucket) => bucket * 1000 > limitMs);
  return [...seconds, ...longerSeconds.slice(0, isReached ? 0 : longest + 1)];
}

export interface MetricsSettings {
  /** The time limit of an attempt, in milliseconds. */
  readonly attemptTimeoutMs: number;
  /** How long a scrape waits for the updates of metrics, in milliseconds; 2 s by default. */
  readonly collectLimitMs?: number;
}

/**
 * The interval of prom-client's event loop monitor. The default interval of prom-client, 10 ms, wakes an idle process a
 * hundred times a second.
 */
const eventLoopSampleMs = 500;
/**
 * The names of prom-client's misleading statistics of event loop lag. Each statistic includes the sample interval, so
 * that an idle process shows 0.5 s.
 */
const misleadingMetrics = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map(
  (statistic) => `nodejs_eventloop_lag_${statistic}_seconds`,
);

/** How long a scrape waits for the updates of metrics. Prometheus ends a scrape after 10 s by default. */
const defaultCollectLimitMs = 2000;

/** The metrics of one process. The names of the metrics are public, because dashboards and alerts use them. */
export function createMetrics(
  { attemptTimeoutMs, collectLimitMs = defaultCollectLimitMs }: MetricsSettings = { attemptTimeoutMs: 0 },
) {
  const registry = new Registry();
  const collectors = new Set<() => Promise<void>>();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: eventLoopSampleMs });
  misleadingMetrics.forEach((name) => {
    registry.removeSingleMetric(name);
  });
  return {
    /**
     * Renders the metrics as Prometheus text. Concurrent scrapes share one rendering, because each rendering costs CPU
     * time, and any client that reaches the port can scrape.
     */
    text: singleFlight(async () => {
      // A failed or late update of one metric does not affect other metrics.
      await Promise.allSettled(
        [...collectors].map((collect) => withTimeout(collect(), collectLimitMs, 'the update takes too long')),
      );
      return registry.metrics();
    }),
    /**
     * Registers an update of metrics that runs before each scrape. A scrape waits two seconds at most for the updates.
     * An update that takes longer changes its metrics after the scrape.
     * @returns a function that ends the updates
     */
    onScrape: (collect: () => Promise<void>): (() => void) => {
      collectors.add(collect);
      return () => {
        collectors.delete(collect);
      };
    },
    contentType: registry.contentType,
    ...processMetrics([registry]),
    ...requestMetrics([registry], seconds),
    ...eventTypeMetrics([registry], seconds),
    ...attemptMetrics([registry], attemptTimeoutMs),
    ...retryMetrics([registry]),
    ...replayMetrics([registry]),
    ...logMetrics([registry]),
    ...modelMetrics([registry]),
  };
}

function processMetrics(registers: Registry[]) {
  return {
    eventLoopActive: new Counter({
      name: 'postrider_event_loop_active_seconds_total',
      help:
        'Time in which the event loop of the process was busy, in seconds. A rate near 1 means ' +
        'that the process uses a whole CPU core.',
      registers,
      collect() {
        this.reset();
        this.inc(performance.eventLoopUtilization().active / 1000);
      },
    }),
    ready: new Gauge({
      name: 'postrider_ready',
      help: 'Whether the process is ready, as /readyz reports it: 1 or 0.',
      registers,
    }),
    serverReachable: new Gauge({
      name: 'postrider_server_reachable',
      help: 'Whether the process can reach the server (Kafka, MongoDB, Redis or the egress proxy): 1 or 0.',
      labelNames: ['server'],
      registers,
    }),
    groupMembers: new Gauge({
      name: 'postrider_group_members',
      help:
        'Members of a consumer group of the role delivery. The series is missing while the ' +
        'brokers do not respond.',
      labelNames: ['group'],
      registers,
    }),
  };
}

function attemptMetrics(registers: Registry[], timeoutMs: number) {
  return {
    attempts: new Counter({
      name: 'postrider_attempts_total',
      help: 'Attempts to deliver an event to a webhook.',
      labelNames: ['outcome', 'trigger'],
      registers,
    }),
    attemptSeconds: new Histogram({
      name: 'postrider_attempt_duration_seconds',
      help: 'Duration of an HTTP request to a webhook, including the response.',
      buckets: secondsBeyond(timeoutMs),
      registers,
    }),
    deliveriesParkedTotal: new Counter({
      name: 'postrider_deliveries_deferred_total',
      help: 'Attempts that were parked because their webhook or account was busy, by the record that parks them.',
      labelNames: ['record'],
      registers,
    }),
    deliveriesParked: new Gauge({
      name: 'postrider_deliveries_parked',
      help: 'Deliveries that wait for their busy webhook, in the partitions that this process releases.',
      registers,
    }),
    oldestParkedSeconds: new Gauge({
      name: 'postrider_oldest_parked_seconds',
      help: 'The age of the oldest event with a parked delivery, in the partitions that this process releases.',
      registers,
    }),
    matchedRecords: new Counter({
      name: 'postrider_matched_records_total',
      help: 'Records that name the webhooks of an event whose deliveries have not ended within half a second.',
      registers,
    }),
    attemptsInFlight: new Gauge({
      name: 'postrider_attempts_in_flight',
      help: 'Requests to webhooks in flight.',
      registers,
    }),
    filterSeconds: new Histogram({
      name: 'postrider_filter_seconds',
      help: 'Time in which the filters of all matching webhooks were evaluated for an event, with pauses.',
      buckets: [0.00001, 0.000025, 0.0001, 0.00025, 0.001, 0.004, 0.01, 0.1, 1, 10],
      registers,
    }),
  };
}

function retryMetrics(registers: Registry[]) {
  return {
    retriesWaiting: new Gauge({
      name: 'postrider_retries_waiting',
      help: 'Retry records, due or not, in the partitions of a tier that are assigned to this process.',
      labelNames: ['tier'],
      registers,
    }),
    retriesOverdue: new Gauge({
      name: 'postrider_retries_overdue',
      help: 'Unfinished retry records of this process that have been due for more than two seconds.',
      labelNames: ['tier'],
      registers,
    }),
  };
}

function replayMetrics(registers: Registry[]) {
  return {
    replaysRunning: new Gauge({
      name: 'postrider_replays_running',
      help: 'Replays that this process runs.',
      registers,
    }),
    replayHandOvers: new Counter({
      name: 'postrider_replay_hand_overs_total',
      help: 'Events whose delivery a replay has requested.',
      registers,
    }),
  };
}

function logMetrics(registers: Registry[]) {
  return {
    consumerLag: new Gauge({
      name: 'postrider_consumer_lag',
      help:
        'Records from the first unfinished record to the end of a partition that is assigned to ' +
        'this process.',
      labelNames: ['group', 'topic', 'partition'],
      registers,
    }),
    oldestUnfinished: new Gauge({
      name: 'postrider_oldest_unfinished_seconds',
      help:
        'Time since the oldest unfinished record of the group became due; 0 if the group has no ' +
        'unfinished record.',
      labelNames: ['group'],
      registers,
    }),
    deadLetters: new Counter({
      name: 'postrider_dead_letters_total',
      help: 'Records that a consumer could not read, by their topic.',
      labelNames: ['topic'],
      registers,
    }),
  };
}

function modelMetrics(registers: Registry[]) {
  return {
    projectionBehind: new Gauge({
      name: 'postrider_projection_behind_seconds',
      help:
        'Age of the oldest record that the live generation of a read model does not contain; 0 ' +
        'if the generation contains all records.',
      labelNames: ['model', 'generation'],
      registers,
    }),
    projectionStalled: new Gauge({
      name: 'postrider_projection_stalled_seconds',
      help: 'Time since the last fold of a generation of a read model while records wait; 0 if no record waits.',
      labelNames: ['model', 'generation'],
      registers,
    }),
    oldestErasureSeconds: new Gauge({
      name: 'postrider_oldest_erasure_seconds',
      help: 'The time since the oldest deletion of a tenant whose data is not removed from all read models; 0 without one.',
      registers,
    }),
    unfoldedRecords: new Counter({
      name: 'postrider_unfolded_records_total',
      help: 'Records that a read model cannot fold and has skipped, also in a rebuild.',
      labelNames: ['model'],
      registers,
    }),
    projectionBatchSeconds: new Histogram({
      name: 'postrider_projection_batch_seconds',
      help: 'Time to fold one batch of records into a read model.',
      labelNames: ['model'],
      buckets: seconds,
      registers,
    }),
  };
}
