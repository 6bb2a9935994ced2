import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import { singleFlight } from './singleFlight.js';

export type Metrics = ReturnType<typeof createMetrics>;

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60];

/** Up to more than the longest duration that a setting can contain, which is 24 days. */
const longerSeconds = [120, 300, 600, 1800, 3600, 4 * 3600, 12 * 3600, 86_400, 7 * 86_400, 30 * 86_400];

/** Buckets that reach beyond a limit: without them a percentile near the limit would be unknown. */
function secondsBeyond(limitMs: number): number[] {
  const longest = longerSeconds.findIndex((bucket) => bucket * 1000 > limitMs);
  const isReached = seconds.some((bucket) => bucket * 1000 > limitMs);
  return [...seconds, ...longerSeconds.slice(0, isReached ? 0 : longest + 1)];
}

export interface MetricsSettings {
  /** The longest that an attempt may take, in milliseconds. */
  readonly attemptTimeoutMs: number;
}

/** The default of 10 ms wakes an idle process a hundred times a second. */
const eventLoopSampleMs = 500;

/** The metrics of one process. Their names are public: dashboards and alerts rely on them. */
export function createMetrics({ attemptTimeoutMs }: MetricsSettings = { attemptTimeoutMs: 0 }) {
  const registry = new Registry();
  const collectors = new Set<() => Promise<void>>();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: eventLoopSampleMs });
  return {
    /** Prometheus text. Concurrent scrapes share one rendering: anyone who reaches the port can scrape, and each rendering costs. */
    text: singleFlight(async () => {
      // One that fails takes nothing from the others.
      await Promise.allSettled([...collectors].map((collect) => collect()));
      return registry.metrics();
    }),
    /**
     * Has metrics brought up to date before each scrape. `collect` ends within a second or two, whatever is away.
     * @returns what ends that
     */
    onScrape: (collect: () => Promise<void>): (() => void) => {
      collectors.add(collect);
      return () => {
        collectors.delete(collect);
      };
    },
    contentType: registry.contentType,
    ...requestMetrics([registry]),
    ...attemptMetrics([registry], attemptTimeoutMs),
    ...retryMetrics([registry]),
    ...replayMetrics([registry]),
    ...logMetrics([registry]),
  };
}

function requestMetrics(registers: Registry[]) {
  return {
    httpRequestSeconds: new Histogram({
      name: 'postrider_http_request_duration_seconds',
      help: 'Time from the arrival of a request to its answer.',
      labelNames: ['route', 'method', 'status'],
      buckets: seconds,
      registers,
    }),
    eventsAccepted: new Counter({
      name: 'postrider_events_accepted_total',
      help: 'Events that the log has acknowledged.',
      labelNames: ['mode'],
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
      help: 'Time of one whole exchange with a webhook.',
      buckets: secondsBeyond(timeoutMs),
      registers,
    }),
    deliveriesDeferred: new Counter({
      name: 'postrider_deliveries_deferred_total',
      help: 'Times that a delivery was put off because its webhook or account was busy.',
      registers,
    }),
    attemptsInFlight: new Gauge({
      name: 'postrider_attempts_in_flight',
      help: 'Exchanges with webhooks that are under way.',
      registers,
    }),
  };
}

function retryMetrics(registers: Registry[]) {
  return {
    retriesWaiting: new Gauge({
      name: 'postrider_retries_waiting',
      help: 'Planned attempts in the partitions of a tier that this process has, due or not.',
      labelNames: ['tier'],
      registers,
    }),
    retriesOverdue: new Gauge({
      name: 'postrider_retries_overdue',
      help: 'Planned attempts in hand that are more than two seconds behind their time.',
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
      help: 'Events that replays have handed over to be delivered again.',
      registers,
    }),
  };
}

function logMetrics(registers: Registry[]) {
  return {
    consumerLag: new Gauge({
      name: 'postrider_consumer_lag',
      help: 'Records of a partition that this process has, from the first that is not done to the end.',
      labelNames: ['group', 'topic', 'partition'],
      registers,
    }),
    oldestUnfinished: new Gauge({
      name: 'postrider_oldest_unfinished_seconds',
      help: 'For how long the oldest record that this process has taken in could have been done; 0 where there is none.',
      labelNames: ['group'],
      registers,
    }),
    deadLetters: new Counter({
      name: 'postrider_dead_letters_total',
      help: 'Records that a consumer could not read, by the topic that they came from.',
      labelNames: ['topic'],
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
