import { slowExchangeMs, type LatencyClass } from './attemptClasses.js';
import {
  exchangeBegan,
  exchangeEnded,
  exchangeLingered,
  latencyClassOf,
  meanExchangeMs,
  unknownLatency,
  type LatencyEstimate,
} from './latencyEstimate.js';
import { createProcessTime, longestProcessMs, type Moment, type ProcessClocks } from './processTime.js';

/** What this process knows of how fast each webhook is. */
export interface LatencyTracker {
  /** Runs an exchange, and records how long its webhook took. */
  readonly timed: <Result>(webhookId: string, exchange: () => Promise<Result>) => Promise<Result>;
  readonly meanExchangeMs: (webhookId: string) => number;
  /** @param provenWithinMs a webhook without a quick exchange in this time is not known to be fast */
  readonly latencyClassOf: (webhookId: string, provenWithinMs: number) => LatencyClass;
  /** Ends once an exchange of the webhook has ended or has become slow, or after two seconds: nothing better will be known soon. */
  readonly untilKnown: (webhookId: string) => Promise<void>;
  /** Calls a listener each time that an exchange was found to be quick or slow. */
  readonly onJudged: (listener: (webhookId: string) => void) => void;
}

interface Latency {
  times: LatencyEstimate;
  /** When an exchange began or ended last. */
  changed: Moment;
  /** When an exchange ended in time. */
  quickAt: number;
  /** Callers that wait until an exchange was judged. */
  readonly awaiting: (() => void)[];
}

/** What a webhook was like so long ago says little of what it is like now. */
const forgottenAfterMs = 10 * 60_000;
/** Old ones are looked for when there are so many more than the last search has left: each is searched a few times at most. */
const searchedAfter = 1000;

/**
 * An exchange counts for as long as this process had nothing else to do meanwhile. One that is busy, or has just started, takes a second
 * for what its webhooks answer at once, and to put their deliveries off would be more work for it.
 */
export function createLatencyTracker(clocks: ProcessClocks): LatencyTracker {
  const { now } = clocks;
  const { moment, sinceMs } = createProcessTime(clocks);
  const latencies = new Map<string, Latency>();
  const listeners: ((webhookId: string) => void)[] = [];
  let searchAt = searchedAfter;

  const forgetOld = () => {
    const time = now();
    for (const [webhookId, { times, changed }] of latencies) {
      if (times.inFlight === 0 && time - changed.at > forgottenAfterMs) {
        latencies.delete(webhookId);
      }
    }
    searchAt = 2 * latencies.size + searchedAfter;
  };

  const latencyOf = (webhookId: string): Latency => {
    const known = latencies.get(webhookId);
    if (known !== undefined) {
      return known;
    }
    const latency = { times: unknownLatency, changed: moment(), quickAt: now(), awaiting: [] };
    latencies.set(webhookId, latency);
    if (latencies.size >= searchAt) {
      forgetOld();
    }
    return latency;
  };

  const publish = (webhookId: string, latency: Latency) => {
    latency.awaiting.splice(0).forEach((resume) => resume());
    listeners.forEach((listener) => listener(webhookId));
  };

  /** @returns a function that ends the watch, and gives whether the exchange was found to be slow */
  const watch = (webhookId: string, latency: Latency, begin: Moment) => {
    let isSlow = false;
    const judge = () => {
      const remainingMs = slowExchangeMs - sinceMs(begin);
      if (remainingMs > 0) {
        timer = setTimeout(judge, Math.ceil(remainingMs)).unref();
        return;
      }
      isSlow = true;
      latency.times = exchangeLingered(latency.times);
      publish(webhookId, latency);
    };
    let timer = setTimeout(judge, slowExchangeMs).unref();
    return () => {
      clearTimeout(timer);
      return isSlow;
    };
  };

  return {
    timed: async (webhookId, exchange) => {
      const latency = latencyOf(webhookId);
      const begin = moment();
      latency.times = exchangeBegan(latency.times);
      latency.changed = begin;
      const endWatch = watch(webhookId, latency, begin);
      try {
        return await exchange();
      } finally {
        const wasJudged = endWatch();
        latency.changed = moment();
        latency.times = exchangeEnded(latency.times, sinceMs(begin), wasJudged);
        latency.quickAt = wasJudged || latency.times.isLatestSlow ? latency.quickAt : now();
        publish(webhookId, latency);
      }
    },
    meanExchangeMs: (webhookId) => {
      const latency = latencies.get(webhookId);
      return latency === undefined
        ? meanExchangeMs(unknownLatency, 0)
        : meanExchangeMs(latency.times, sinceMs(latency.changed));
    },
    latencyClassOf: (webhookId, provenWithinMs) => {
      const latency = latencies.get(webhookId);
      const latencyClass = latency === undefined ? 'unknown' : latencyClassOf(latency.times);
      const isProven = latency !== undefined && now() - latency.quickAt <= provenWithinMs;
      return latencyClass === 'fast' && !isProven ? 'unknown' : latencyClass;
    },
    untilKnown: async (webhookId) => {
      const { times, changed, awaiting } = latencyOf(webhookId);
      const remainingMs = longestProcessMs - sinceMs(changed);
      if (times.judged === 0 && remainingMs > 0) {
        await new Promise<void>((resolve) => {
          awaiting.push(resolve);
          setTimeout(resolve, remainingMs).unref();
        });
      }
    },
    onJudged: (listener) => {
      listeners.push(listener);
    },
  };
}
